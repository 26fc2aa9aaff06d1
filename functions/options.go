package functions

import (
	"strings"

	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/schema"
)

// RelationsOptions returns the options of package relations in a configuration.
func RelationsOptions(cfg config.Functions) schema.Options {
	return schema.Options{
		Collections: cfg.Collections(), Capacity: cfg.Capacity, FollowersBytes: cfg.FollowersBytes,
		CopiedFields: cfg.CopiedFields, InlineLimit: cfg.InlineLimit, Lane: cfg.Lane, Parallel: cfg.Parallel,
		AuthorFields: profileFields(cfg.AuthorFields), RefFields: profileFields(cfg.RefFields), KeepPosts: cfg.KeepPosts, OwnPosts: cfg.OwnPosts, TombstoneKeys: cfg.TombstoneKeys,
	}
}

func profileFields(pairs []string) []schema.ProfileField {
	var out []schema.ProfileField
	for _, pair := range pairs {
		user, post, _ := strings.Cut(pair, "=") // without an =, post is empty, which Validate rejects
		out = append(out, schema.ProfileField{User: user, Post: post})
	}
	return out
}

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
		AuthorFields: authorFields(cfg.AuthorFields), KeepPosts: cfg.KeepPosts, OwnPosts: cfg.OwnPosts, TombstoneKeys: cfg.TombstoneKeys,
	}
}

func authorFields(pairs []string) []schema.AuthorField {
	var out []schema.AuthorField
	for _, pair := range pairs {
		user, post, _ := strings.Cut(pair, "=") // without an =, post is empty, which Validate rejects
		out = append(out, schema.AuthorField{User: user, Post: post})
	}
	return out
}

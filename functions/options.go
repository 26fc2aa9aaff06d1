package functions

import (
	"strings"

	"example.com/relationindex/feed"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// RelationsOptions returns the options of package relations in a configuration.
func RelationsOptions(cfg config.Functions) schema.Options {
	return schema.Options{
		Collections: cfg.Collections(), Capacity: cfg.Capacity, FollowersBytes: cfg.FollowersBytes,
		CopiedFields: cfg.CopiedFields, InlineLimit: cfg.InlineLimit, Range: cfg.Range, Parallel: cfg.Parallel,
		AuthorFields: profileFields(cfg.AuthorFields), RefFields: profileFields(cfg.RefFields), KeepPosts: cfg.KeepPosts, OwnPosts: cfg.OwnPosts,
		Horizon: cfg.Horizon, PostsFilled: cfg.PostsFilled, TombstoneKey: cfg.TombstoneKey,
		Timelines: schema.TimelineOptions{
			Layout: cfg.Timeline, Bucket: cfg.Bucket, Cap: cfg.Cap, Expire: cfg.Expire, Backfill: cfg.Backfill, KeepOnUnfollow: cfg.KeepOnUnfollow, Ranked: cfg.Ranked,
		},
		RelationsOff: cfg.RelationsOff, Settings: cfg.ReaderSettings, Idle: cfg.Idle,
	}
}

// FeedOptions returns the options of package feed in a configuration.
func FeedOptions(cfg config.Functions) feed.Options {
	o := feed.Options{
		Collections: cfg.Collections(), OwnPosts: cfg.OwnPosts, PostsFilled: cfg.PostsFilled, RelationsOff: cfg.RelationsOff, Settings: cfg.ReaderSettings,
	}
	if cfg.Timeline != "" {
		o.Timeline = layout.New(RelationsOptions(cfg).WithDefaults())
	}
	return o
}

func profileFields(pairs []string) []schema.ProfileField {
	var out []schema.ProfileField
	for _, pair := range pairs {
		user, post, _ := strings.Cut(pair, "=") // without an =, post is empty, which Validate rejects
		out = append(out, schema.ProfileField{User: user, Post: post})
	}
	return out
}

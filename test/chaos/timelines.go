package chaos

import (
	"fmt"
	"slices"
	"time"

	"example.com/relationindex/schema"
)

// A Form is a configuration of timelines.
type Form string

// These are the forms. Half of them have relations beside timelines, and half bring all posts to a new
// follower.
const (
	Items   Form = "items"   // comments lift; beside relations, with a backfill of all posts
	Buckets Form = "buckets" // of 3, so that many are closed; alone, with a backfill of all posts
	Ring    Form = "ring"    // buckets of 1 with a cap of 3, so that many wrap; alone, with a backfill of 3
	Days    Form = "days"    // of posts of three weeks; beside relations, without a backfill
)

// Forms are all forms.
var Forms = []Form{Items, Buckets, Ring, Days}

// ParseForm reads a flag; "": no timelines.
func ParseForm(text string) (Form, error) {
	if f := Form(text); text == "" || slices.Contains(Forms, f) {
		return f, nil
	}
	return "", fmt.Errorf("timeline %q: must be items, buckets, ring or days", text)
}

// allPosts is a backfill of more posts than an audience has.
const allPosts = 1000

// idleAfter is the absence after which a reader is idle. A run is much shorter, and [clients.SeenLongAgo] is longer.
const idleAfter = 48 * time.Hour

// configure turns the form on, with all decisions of readers.
func (f Form) configure(cfg *schema.Config) {
	cfg.ReaderSettings, cfg.Idle, cfg.Ranked = true, idleAfter, f == Items
	cfg.AuthorFields, cfg.CopiedFields = []string{"name=" + showsName}, append(slices.Clone(cfg.CopiedFields), showsName)
	switch f {
	case Items:
		cfg.Feeds, cfg.Backfill = schema.FeedsOf(schema.LayoutItems, true), allPosts
	case Buckets:
		cfg.Feeds, cfg.Bucket, cfg.Backfill = schema.FeedsOf(schema.LayoutBuckets, false), 3, allPosts
	case Ring:
		cfg.Feeds, cfg.Bucket, cfg.Cap, cfg.Backfill = schema.FeedsOf(schema.LayoutBuckets, false), 1, 3, 3
	case Days:
		cfg.Feeds = schema.FeedsOf(schema.LayoutDays, true)
	}
}

// needs returns the names of counts that a run of the form must have.
func (f Form) needs() []string {
	all := []string{dueEntries, hiddenEntries, hiddenKinds, idleReaders, unreadEntries}
	switch f {
	case Items:
		return append(all, liftedEntries)
	case Buckets:
		return append(all, closedBuckets)
	case Ring:
		return append(all, closedBuckets, wrappedBuckets)
	default:
		return append(all, fullDays)
	}
}

// withoutTimelines returns the configuration with relations alone.
func withoutTimelines(cfg schema.Config) schema.Config {
	cfg.Feeds, cfg.Bucket, cfg.Cap, cfg.Expire, cfg.Backfill, cfg.KeepOnUnfollow = nil, 0, 0, 0, 0, false
	cfg.ReaderSettings, cfg.Idle, cfg.Ranked = false, 0, false
	return cfg
}

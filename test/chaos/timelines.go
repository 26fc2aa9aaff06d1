package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/feed"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
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

// idleAfter is the absence after which a reader is idle. A run is much shorter.
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

// Timelines reads timelines as the product does.
type Timelines struct {
	delivery *timelines.Delivery
	function *feed.Feed
	client   *firestore.Client
	cfg      schema.Config
}

// OpenTimelines returns a reader of the timelines of a configuration.
func OpenTimelines(client *firestore.Client, cfg schema.Config) (*Timelines, error) {
	system, err := social.Open(client, cfg)
	if err != nil {
		return nil, err
	}
	if system.Timelines == nil {
		return nil, errors.New("the configuration has no timelines")
	}
	return &Timelines{system.Timelines, feed.New(client, cfg, nil), client, cfg}, nil
}

// List returns a reader's whole timeline.
func (t *Timelines) List(ctx context.Context, reader string) ([]layout.Entry, error) {
	return pages.Newest(ctx, t.delivery.Database(), t.delivery.Layout(), reader, 1_000_000)
}

// Pages returns a reader's whole timeline as the function Feed reads it.
func (t *Timelines) Pages(ctx context.Context, reader string, limit int) ([]Entry, error) {
	return paged(ctx, t.function.Timeline, reader, limit)
}

// Verify reports the problems that the delivery's Check finds.
func (t *Timelines) Verify(ctx context.Context, report func(format string, args ...any)) (entries.Checked, error) {
	return t.verify(ctx, func(p entries.Problem) { report("verify-timelines: %v", p) })
}

func (t *Timelines) verify(ctx context.Context, report func(entries.Problem)) (entries.Checked, error) {
	return entries.Check(ctx, t.delivery, entries.Options{Report: report})
}

// sequence returns the number of a reader's open bucket; 0: there is none.
func (t *Timelines) sequence(ctx context.Context, reader string) (int64, error) {
	docs, err := t.client.GetAll(ctx, []*firestore.DocumentRef{t.client.Doc("users/" + reader + "/timeline/open")})
	if err != nil {
		return 0, err
	}
	value, _ := docs[0].DataAt("sequence") // an error: the field is missing
	n, _ := value.(int64)
	return n, nil
}

// slots returns the number of a ring's closed buckets; 0: there is no ring.
func (t *Timelines) slots() int64 {
	if t.cfg.Timeline() != schema.LayoutBuckets || t.cfg.Cap == 0 {
		return 0
	}
	return int64(t.cfg.Cap / t.cfg.Bucket)
}

// Shown returns entries as clients show them.
func Shown(entries []layout.Entry) []Entry {
	all := make([]Entry, len(entries))
	for n, e := range entries {
		text, _ := e.Copies["text"].(string)
		all[n] = Entry{Post: e.Post, Text: text, CreatedAt: time.UnixMicro(e.At)}
	}
	return all
}

//go:build long

package delivery

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/accounts"
	"example.com/relationindex/audit/entries"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/followers"
	"example.com/relationindex/ranking"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/tallies"
	"example.com/relationindex/testkit/deliverytest"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// Timelines keep every promise of a delivery, in each layout, without relations.
func TestTimelinesKeepPromises(t *testing.T) {
	t.Parallel()
	// These call Firestore where their kin do.
	kin := map[string][]string{
		// Ranked items merge what these write whole: a repeated write could set back at, or a reader's mark.
		"items": {"a post", "a new date", "a post that a reader hides", "a reader who hides a post"},
		// Light buckets of 1 leave these two with the same documents. Buckets of 1 read them whole, and
		// those of 50 have many entries in one document, which never closes.
		"buckets of 1": {"a follow", "a post"},
		"items that stay": {
			"an unfollow", "a block of a follower", "a block of an author with an archive", "a block of who names the reader", "a block",
		},
		"buckets of 50": {
			"an unfollow", "a deleted post", "a post that a reader hides",
			"a post", "a follow", "a deletion of a post", "a reader who hides a post",
		},
	}
	for name, form := range map[string]schema.Config{
		"items":           {Feeds: []string{"items"}},
		"items that stay": {Feeds: []string{"items"}, KeepOnUnfollow: true},
		"ranked items":    {Feeds: []string{"items"}, Ranked: true},
		"buckets of 50":   {Feeds: []string{"buckets"}, Bucket: 50},
		"buckets of 1":    {Feeds: []string{"buckets"}, Bucket: 1, Cap: 1000},
		"light buckets":   {Feeds: []string{"buckets"}, Bucket: 1},
		"days":            {Feeds: []string{"days"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deliverytest.Suite{
				Decides: true,
				Ranks:   form.Ranked,
				Keeps:   form.KeepOnUnfollow,
				Kin:     kin[name],
				Open:    func(t *testing.T, p deliverytest.Process) deliverytest.System { return openTimelines(t, p, name, form) },
			}.Run(t)
		})
	}
}

func openTimelines(t *testing.T, p deliverytest.Process, name string, form schema.Config) deliverytest.System {
	form.Capacity, form.InlineLimit, form.Backfill, form.NoOwnPosts = 2, deliverytest.Inline, 1000, true
	form.ReaderSettings, form.Idle, form.Logger = true, deliverytest.Idle, p.Logger
	db, err := schema.Open(p.Client, form)
	if err != nil {
		t.Fatal(err)
	}
	graph := followers.New(db, p.Engine)
	l := layout.New(db.Config)
	if name == "light buckets" { // closed each time, and read as those of 50 are
		l = layout.NewBuckets(form.Bucket, form.Cap).Light()
	}
	d := timelines.New(graph, timelines.Options{Layout: l, Backfill: form.Backfill, KeepOnUnfollow: form.KeepOnUnfollow, Alone: true, PageFactor: 1})
	graph.Deliver(d)
	ranked := ranking.New(graph, d)
	p.Engine.Register(ranked.Task())
	x := &social.System{DB: db, Engine: p.Engine, Graph: graph, Timelines: d, Deliveries: graph.Deliveries(), Tallies: tallies.New(graph)}
	system := deliverytest.System{
		Graph: graph, Accounts: accounts.New(graph), Decisions: d, Comment: ranked.Comment, Block: onBlock(t, x),
		Verify: func(ctx context.Context) (wrong []string, err error) {
			_, err = entries.Check(ctx, d, entries.Options{Report: func(p entries.Problem) { wrong = append(wrong, p.String()) }})
			return wrong, err
		},
		Feed: func(ctx context.Context, reader string) ([]deliverytest.Seen, error) {
			entries, err := pages.Newest(ctx, d.Database(), d.Layout(), reader, 1000)
			var feed []deliverytest.Seen
			for _, e := range entries {
				feed = append(feed, deliverytest.Seen{Post: e.Post, At: time.UnixMicro(e.At), Bucket: e.Sequence, Hidden: e.Hidden})
			}
			return feed, err
		},
	}
	if form.Timeline() == schema.LayoutBuckets {
		system.Total = func(ctx context.Context, reader string) (int, error) {
			n, err := totalOf(p.Client.Doc("users/" + reader + "/timeline/open").Get(ctx))
			return int(n), err
		}
	}
	return system
}

// totalOf returns the total in an open bucket; 0 if there is none.
func totalOf(doc *firestore.DocumentSnapshot, err error) (int64, error) {
	if status.Code(err) == codes.NotFound {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := doc.DataAt("total")
	total, _ := n.(int64)
	return total, err
}

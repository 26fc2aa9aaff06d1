//go:build long

package delivery

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"
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
	if form.Ranked {
		d.LiftBy(ranked.Lifts)
	}
	x := &social.System{DB: db, Engine: p.Engine, Graph: graph, Timelines: d, Deliveries: graph.Deliveries(), Tallies: tallies.New(graph)}
	system := deliverytest.System{
		Graph: graph, Accounts: accounts.New(graph), Decisions: d, Comment: ranked.Comment, Block: onBlock(t, x),
		Verify: func(ctx context.Context) ([]string, error) {
			wrong, err := wrongTimelines(ctx, p.Client, form.Ranked)
			if err == nil {
				_, err = entries.Check(ctx, d, entries.Options{Report: func(p entries.Problem) { wrong = append(wrong, p.String()) }})
			}
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

// wrongTimelines returns the documents of timelines that do not say what posts say, or that
// do not agree with themselves.
func wrongTimelines(ctx context.Context, client *firestore.Client, ranked bool) (wrong []string, err error) {
	docs, err := client.CollectionGroup("timeline").Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	for _, doc := range docs {
		var timeline struct {
			Posts    []string         `firestore:"posts"`
			Accounts []string         `firestore:"accounts"`
			Entries  map[string]entry `firestore:"entries"`
		}
		var item entry
		if err := errors.Join(doc.DataTo(&timeline), doc.DataTo(&item)); err != nil {
			return nil, err
		}
		if timeline.Entries == nil && item.Post != "" {
			timeline.Entries = map[string]entry{doc.Ref.ID: item}
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(timeline.Entries)), slices.Sorted(slices.Values(timeline.Posts))); diff != "" {
			wrong = append(wrong, doc.Ref.Path+": posts: "+diff)
		}
		for id, e := range timeline.Entries {
			post, err := client.Doc("posts/" + id).Get(ctx)
			if err != nil {
				return nil, err
			}
			want := wantedEntry(post, doc.Ref.Parent.Parent.ID)
			if ranked {
				want.At = max(want.At, e.At) // feeds show how high
			}
			if diff := cmp.Diff(want, e); diff != "" {
				wrong = append(wrong, doc.Ref.Path+": "+id+": "+diff)
			}
			for _, account := range []string{e.Author, e.Audience} {
				if account != "" && !slices.Contains(timeline.Accounts, account) {
					wrong = append(wrong, doc.Ref.Path+": accounts lack "+account)
				}
			}
		}
	}
	return wrong, nil
}

// entry is an entry as stored.
type entry struct {
	Post     string `firestore:"post"`
	Author   string `firestore:"author"`
	Audience string `firestore:"audience"`
	At       int64  `firestore:"at"`
	Kind     string `firestore:"kind"`
}

// wantedEntry is the entry of a post for a reader.
func wantedEntry(post *firestore.DocumentSnapshot, reader string) entry {
	var p struct {
		UserID    string    `firestore:"userId"`
		Audience  *string   `firestore:"audience"`
		To        []string  `firestore:"to"`
		CreatedAt time.Time `firestore:"createdAt"`
		Kind      string    `firestore:"kind"`
	}
	if err := post.DataTo(&p); err != nil {
		return entry{}
	}
	e := entry{Post: post.Ref.ID, Author: p.UserID, Audience: p.UserID, At: p.CreatedAt.UnixMicro(), Kind: p.Kind}
	if p.Audience != nil {
		e.Audience = *p.Audience
	}
	if slices.Contains(p.To, reader) {
		e.Audience = ""
	}
	return e
}

//go:build long

package prices_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
)

// decide writes fields of a reader's settings.
func (a *timelineApp) decide(reader string, fields map[string]any) func() {
	return func() {
		a.Must(a.Client.Doc("users/"+reader+"/settings/feed").Set(a.T.Context(), fields, firestore.MergeAll))
	}
}

// conceal hides a post in a reader's timeline.
func (a *timelineApp) conceal(reader, p string) func() {
	return func() {
		a.Must(a.Client.Doc("users/"+reader+"/hidden/"+p).Set(a.T.Context(), map[string]any{"createdAt": firestore.ServerTimestamp}))
	}
}

func TestFormulasOfPostsThatReadSettings(t *testing.T) {
	t.Parallel()
	for form, test := range pairs(timelineForms, []struct {
		followers, named, capacity, inline int
		off                                bool
	}{
		{0, 2, 3, inline, true},
		{2, 2, 3, inline, false},
		{5, 0, 3, inline, true},
		{31, 1, 7, inline, true}, // two pages
		{103, 2, 200, 110, true}, // two transactions
	}) {
		t.Run(fmt.Sprintf("%s, %d followers in documents of %d, %d named", form.name, test.followers, test.capacity, test.named), func(t *testing.T) {
			t.Parallel()
			cfg := form.Config
			cfg.Capacity, cfg.InlineLimit, cfg.Feeds, cfg.ReaderSettings = test.capacity, test.inline, schema.FeedsOf(cfg.Timeline(), !test.off), true
			a := newTimelineApp(t, cfg)
			a.x.Beside.Recipients = test.named
			named := []string{"n0", "n1"}[:test.named]
			a.crowd("author", test.followers)
			buckets := a.x.Layout == schema.LayoutBuckets
			readers := func(state func(*prices.Readers, float64)) (followers, others prices.Readers) {
				if !buckets {
					state = nil
				}
				return each(test.followers, state), each(test.named, state)
			}
			post := func(p string, hours int) func() {
				return func() { a.PostTo(p, "author", "author", future.Add(time.Duration(hours)*time.Hour), named...) }
			}
			a.wantCost("the first post", a.x.Post(readers(isNew)), oneWrite, post("p1", 1))
			a.conceal("somebody", "p2")()
			a.Settle()
			a.wantCost("a post that somebody hides", a.x.Post(readers(nil)), oneWrite, post("p2", 2))
			a.wantCost("an edit of it", a.x.Edit(readers(nil)), oneWrite, func() { a.Edit("p2", firestore.Update{Path: "text", Value: "two"}) })
			a.wantCost("a post that closes buckets", a.x.Post(readers(isFull)), oneWrite, post("p3", 3))
			if test.off {
				a.wantCost("the same event", a.x.Again(readers(nil)), wire.Counts{}, func() {
					a.again("OnPostWritten", "posts/p3")
				})
				a.wantCost("an edit of its kind", a.x.EditKind(readers(nil)), oneWrite, func() { a.Edit("p3", firestore.Update{Path: "kind", Value: "photo"}) })
			}
			followers, others := readers(nil)
			a.wantCost("a deletion", a.x.Delete(followers, others), oneDelete, func() { a.DeletePost("p3") })
		})
	}
}

func TestFormulasOfFollowsThatReadSettings(t *testing.T) {
	t.Parallel()
	for form, test := range pairs(timelineForms, []struct{ posts, inline int }{{3, inline}, {7, inline}, {60, 100}}) { // by a job, in three transactions
		t.Run(fmt.Sprintf("%s, %d posts", form.name, test.posts), func(t *testing.T) {
			t.Parallel()
			cfg := form.Config
			cfg.Backfill, cfg.InlineLimit, cfg.Capacity, cfg.Feeds, cfg.ReaderSettings = 100, test.inline, 2, schema.FeedsOf(cfg.Timeline(), false), true
			if cfg.Cap > 0 {
				cfg.Backfill = cfg.Cap
			}
			a := newTimelineApp(t, cfg)
			a.Profile("author", map[string]any{"name": "A"})
			for i := range test.posts {
				a.Post(fmt.Sprintf("p%02d", i), "author", day.AddDate(0, 0, i))
			}
			a.Settle()
			a.timelineOf("f1", 1)
			a.wantCost("a follow", a.x.FollowOpening(test.posts, 0, test.posts, prices.Timeline{Entries: 1, PerDay: 1}, 1), oneWrite, func() { a.Follow("f1", "author") })
		})
	}
}

// split is documentsOf the first n documents of a timeline and of the others, and how many it has.
func (a *timelineApp) split(reader, author string, n int) (first, others prices.Readers, documents int) {
	a.T.Helper()
	docs, err := a.Client.Collection("users/" + reader + "/timeline").Documents(a.T.Context()).GetAll()
	if err != nil {
		a.T.Fatal(err)
	}
	return documentsOf(author, docs[:min(n, len(docs))]), documentsOf(author, docs[min(n, len(docs)):]), len(docs)
}

func TestFormulasOfHidingAuthors(t *testing.T) {
	t.Parallel()
	for form, test := range pairs(timelineForms, []struct{ others, posts, inline int }{ // others: entries that stay
		{0, 0, inline}, {0, 1, inline}, {0, 3, inline}, {0, 5, inline}, {0, 44, inline}, {0, 60, 100},
		{3, 0, inline}, {3, 1, inline}, {3, 3, inline}, {3, 5, inline}, {3, 44, inline}, {3, 60, 100},
	}) {
		t.Run(fmt.Sprintf("%s, %d posts and %d others", form.name, test.posts, test.others), func(t *testing.T) {
			t.Parallel()
			cfg := form.Config
			cfg.InlineLimit, cfg.Capacity, cfg.Feeds, cfg.ReaderSettings, cfg.Backfill, cfg.Cap = test.inline, 2, schema.FeedsOf(cfg.Timeline(), false), true, 100, 0
			cfg.Idle = 24 * time.Hour
			if form.Cap > 0 {
				cfg.Cap = 200
			}
			a := newTimelineApp(t, cfg)
			const reader = "reader"
			a.Profile("author", map[string]any{"name": "A"})
			a.timelineOf(reader, test.others)
			for i := range test.posts {
				a.Post(fmt.Sprintf("p%02d", i), "author", day.AddDate(0, 0, i))
			}
			a.Settle()
			a.Follow(reader, "author")
			a.Settle()
			a.wantCost("a write of seenAt", a.x.Seen(), oneWrite, a.decide(reader, map[string]any{"seenAt": time.Now()}))
			first, rest, documents := a.split(reader, "author", test.inline)
			gone := func() map[string]any { return map[string]any{"hide": []string{"author/*"}} }
			found := prices.Reaching{Follows: 1, Found: []int{test.others, test.posts}, Authors: min(1, test.others), Accounts: 1}
			a.wantCost("hiding of an author", a.x.Filter(documents, first, rest), oneWrite, a.decide(reader, gone()))
			if got := len(a.timeline(reader)); got != test.others {
				t.Fatalf("%d entries are left, want %d", got, test.others)
			}
			before := prices.Timeline{Entries: test.others, Gone: test.posts, PerDay: max(1, test.others)}
			if test.others+max(0, test.posts-a.x.Bucket) == 0 {
				before.Gone = 0 // the first bucket is deleted
			}
			a.wantCost("showing it again", a.x.Rebuild(test.posts, found, before, 1), oneWrite, a.decide(reader, map[string]any{"hide": []string{}}))
			if got := len(a.timeline(reader)); got != test.others+test.posts {
				t.Fatalf("%d entries are there, want %d", got, test.others+test.posts)
			}
		})
	}
}

func TestFormulasOfIdleReaders(t *testing.T) {
	t.Parallel()
	for form, n := range pairs(timelineForms, []int{0, 2, 27, 30, 34}) { // in two transactions, and in two pages
		t.Run(fmt.Sprintf("%s, %d posts", form.name, n), func(t *testing.T) {
			t.Parallel()
			cfg := form.Config
			cfg.InlineLimit, cfg.Capacity, cfg.Feeds, cfg.ReaderSettings, cfg.Idle = inline, 2, schema.FeedsOf(cfg.Timeline(), false), true, 24*time.Hour
			if cfg.Cap > 0 {
				cfg.Cap = 100
			}
			a := newTimelineApp(t, cfg)
			const reader = "reader"
			a.Follow(reader, "author")
			a.timelineOf(reader, 1)
			a.decide(reader, map[string]any{"seenAt": time.Now().Add(-25 * time.Hour)})()
			a.Settle()
			for i := range n {
				a.Post(fmt.Sprintf("p%02d", i), "author", future.AddDate(0, 0, i))
			}
			a.Settle()
			found := prices.Reaching{Follows: 1, Found: []int{1, n}, Authors: 1, Accounts: 1, Newer: true}
			a.wantCost("a return", a.x.Rebuild(n, found, prices.Timeline{Entries: 1, PerDay: 1}, 1), oneWrite, a.decide(reader, map[string]any{"seenAt": time.Now()}))
			if got := len(a.timeline(reader)); got != n+1 {
				t.Errorf("%d entries are there, want %d", got, n+1)
			}
		})
	}
}

func TestFormulasOfHiddenPosts(t *testing.T) {
	t.Parallel()
	for _, form := range timelineForms {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			form.Feeds, form.ReaderSettings = schema.FeedsOf(form.Timeline(), false), true
			a := newTimelineApp(t, form.Config)
			a.crowd("author", 2)
			a.PostTo("p1", "author", "author", future)
			a.Settle()
			show := func(reader string) func() {
				return func() { a.Must(a.Client.Doc("users/" + reader + "/hidden/p1").Delete(t.Context())) }
			}
			a.wantCost("hiding by the first", a.x.HidePost(true, true), oneWrite, a.conceal("author000", "p1"))
			a.wantCost("hiding by another", a.x.HidePost(true, true), oneWrite, a.conceal("author001", "p1"))
			a.wantCost("hiding by who does not have it", a.x.HidePost(true, false), oneWrite, a.conceal("somebody", "p1"))
			a.wantCost("showing it again", a.x.ShowPost(true), oneDelete, show("author000"))
			a.wantCost("hiding it again", a.x.HidePost(false, true), oneWrite, a.conceal("author000", "p1"))
			a.wantCost("showing it again to who does not have it", a.x.ShowPost(false), oneDelete, show("somebody"))
			a.wantCost("the time of what is read", prices.Counts{Writes: 1}, oneWrite, func() {
				a.Must(a.Client.Doc("users/author000/settings/read").Set(t.Context(), map[string]any{"readAt": time.Now()}))
			})
		})
	}
}

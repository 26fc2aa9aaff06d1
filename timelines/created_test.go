package timelines_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// A ring holds the posts with the newest createdAt, whatever is edited later. A post that is published
// after a reader's ring has turned over since does not come to the reader, and is not missing. Before,
// it comes to its place.
func TestPublishedPostIsPlacedByCreatedAt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		draft   map[string]any // differs from a post for r1
		publish firestore.Update
	}{
		"a draft":                   {map[string]any{"hidden": true}, firestore.Update{Path: "hidden", Value: false}},
		"a post for a group":        {map[string]any{"audience": "g_other"}, firestore.Update{Path: "audience", Value: "ada"}},
		"a post that names another": {map[string]any{"audience": "", "to": []string{"r2"}}, firestore.Update{Path: "to", Value: []string{"r2", "r1"}}},
	} {
		for when, turned := range map[string]bool{"before": false, "after": true} {
			t.Run(name+", published "+when, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(1, 4)})
				w.joins("r1")
				n := 0
				posts := func(until int) {
					for ; n < until; n++ {
						w.post(fmt.Sprint("p", n))
					}
				}
				posts(6) // the ring is full
				draft := map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": firestore.ServerTimestamp}
				maps.Copy(draft, c.draft)
				w.set("posts/draft", draft)
				testkit.Profiles(t, w.client, "r1", "r2")
				w.must(w.d.Post(t.Context(), "draft"))
				posts(8)
				w.wantFeed("r1", "p7", "p6", "p5", "p4")
				want := []string{"p7", "p6", "draft", "p5", "p4"} // more than the cap, as it came late
				if turned {
					posts(12)
					want = []string{"p11", "p10", "p9", "p8"}
				}
				_, err := w.client.Doc("posts/draft").Update(t.Context(), []firestore.Update{c.publish})
				w.must(err)
				w.must(w.d.Post(t.Context(), "draft"))
				w.wantFeed("r1", want...)
				w.wantNoProblem()
				if _, err := entries.Repair(t.Context(), w.d, entries.Options{Report: func(p entries.Problem) { t.Error("repaired: ", p) }}); err != nil {
					t.Error(err)
				}
				w.wantFeed("r1", want...)
			})
		}
	}
}

// An edit of createdAt moves the post's entries to their places, for readers who followed before it. The
// process may die at each of its writes: the event comes again.
func TestEditOfCreatedAtMovesEntries(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return time.Date(2026, 11, 1, hour, 0, 0, 0, time.UTC) }
	for name, opts := range layouts {
		for where, c := range map[string]struct {
			to   int
			want []string
		}{
			"before all":  {0, []string{"p5", "p4", "p2", "p1", "p3"}},
			"in between":  {1, []string{"p5", "p4", "p2", "p3", "p1"}},
			"where it is": {3, []string{"p5", "p4", "p3", "p2", "p1"}},
			"a day later": {30, []string{"p3", "p5", "p4", "p2", "p1"}},
		} {
			t.Run(name+", "+where, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, opts)
				w.followsSince("ada", "r1", at(-24))
				for n := 1; n <= 5; n++ {
					w.of("ada", fmt.Sprint("p", n), at(n))
					w.must(w.d.Post(t.Context(), fmt.Sprint("p", n)))
				}
				w.of("ada", "p3", at(c.to).Add(time.Minute))
				w.killed(func(p *process) error { return w.event(p, "p3")() })
				w.wantFeed("r1", c.want...)
				w.wantNoProblem()
			})
		}
	}
}

package timelines_test

import (
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/wire"
)

// Firestore bills these operations for an author with n followers in one index document, as the doc
// comments of Post and Followed state. A follow also costs 6 reads and 2 writes of members,
// and an unfollow 4, 2 and a delete; emptying the change log, a read and a write.
func TestCosts(t *testing.T) {
	t.Parallel()
	const n = 3
	type cost struct{ reads, writes, deletes int64 }
	for name, want := range map[string]map[string]cost{
		"items": {
			"a post": {7, n, 0}, "again": {n + 4, 0, 0}, "an edit": {n + 5, n, 0}, "a deletion": {n + 2, 0, n},
			"a follow": {11, 3, 0}, "an unfollow": {8, 3, 2},
		},
		"buckets of 50": {
			"a post": {7 + n, n, 0}, "again": {n + 4, 0, 0}, "an edit": {n + 5, n, 0}, "a deletion": {n + 2, n, 0},
			"a follow": {12, 3, 0}, "an unfollow": {8, 3, 2},
		},
		"buckets of 1": {
			"a post": {7 + 2*n, 2 * n, 0}, "again": {n + 4, 0, 0}, "an edit": {n + 5, n, 0}, "a deletion": {n + 2, n, 0},
			"a follow": {12, 3, 0}, "an unfollow": {8, 3, 2},
		},
		"days": {
			"a post": {7, n, 0}, "again": {n + 4, 0, 0}, "an edit": {n + 5, n, 0}, "a deletion": {n + 2, n, 0},
			"a follow": {11, 3, 0}, "an unfollow": {8, 3, 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := layouts[name]
			w := newWorld(t, opts)
			var meter wire.Meter
			metered := w.open(meter.Interceptor())
			for i := range n {
				w.follows(fmt.Sprint("r", i))
				w.must(w.follow(w.process, fmt.Sprint("r", i))())
			}
			w.post("p0")
			got := map[string]cost{}
			measure := func(what string, do func() error) {
				t.Helper()
				before := meter.Counts()
				w.must(do())
				after := meter.Counts()
				got[what] = cost{after.Reads - before.Reads, after.Writes - before.Writes, after.Deletes - before.Deletes}
			}
			w.write("p1")
			measure("a post", w.event(metered, "p1"))
			measure("again", w.event(metered, "p1"))
			_, err := w.client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "kind", Value: "photo"}})
			w.must(err)
			measure("an edit", w.event(metered, "p1"))
			w.remove("posts/p1")
			measure("a deletion", w.event(metered, "p1"))
			w.follows("late")
			measure("a follow", w.follow(metered, "late"))
			w.remove("users/ada/followers/late")
			measure("an unfollow", w.follow(metered, "late"))
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(cost{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

package timelines_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// A post comes late to a ring whose oldest bucket is damaged: it comes to its place, or not if it is older
// than all others, and the other readers do not wait.
func TestDamagedOldestBucketBlocksNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(1, 4)})
	w.joins("r1")
	w.joins("r2")
	w.write("older")
	for n := range 6 {
		if n == 4 {
			w.write("late")
		}
		w.post(fmt.Sprint("p", n))
	}
	w.damage("users/r1/timeline/past-00000002")
	w.must(w.event(w.process, "older")())
	w.must(w.event(w.process, "late")())
	for _, r := range []string{"r1", "r2"} {
		w.wantFeed(r, "p5", "p4", "late", "p3", "p2")
	}
}

// damage removes the sequence of a bucket.
func (w *world) damage(path string) {
	w.t.Helper()
	_, err := w.client.Doc(path).Update(w.t.Context(), []firestore.Update{{Path: "sequence", Value: firestore.Delete}})
	w.must(err)
}

// A damaged bucket has the name under which open is to be closed. Posts are still delivered. Nothing
// overwrites the bucket except a ring in its turn, and a repair restores its entries.
func TestClosingOpenSkipsDamagedBucket(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cap          int
		before, then []string
	}{
		"no cap": {0, []string{"p6", "p5", "p4", "p1", "p0"}, []string{"p6", "p5", "p4", "p2", "p1", "p0"}},
		"a ring": {3, []string{"p6", "p5", "p4"}, []string{"p6", "p5", "p4"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(1, c.cap)})
			w.joins("r1")
			for n := range 4 {
				w.post(fmt.Sprint("p", n))
			}
			if c.cap == 0 {
				w.damage("users/r1/timeline/past-00000003")
			} else { // its slot has another sequence, and a later one
				_, err := w.client.Doc("users/r1/timeline/past-00000000").Update(t.Context(), []firestore.Update{{Path: "sequence", Value: 700}})
				w.must(err)
			}
			w.remove("users/r1/timeline/open") // with p3
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for _, p := range []string{"p4", "p5", "p6"} {
				w.write(p)
				if err := w.d.Post(ctx, p); err != nil {
					t.Fatalf("%s: %v", p, err)
				}
			}
			w.wantFeed("r1", c.before...)
			w.remove("posts/p3") // which was in open
			_, err := entries.Repair(t.Context(), w.d, entries.Options{Report: func(entries.Problem) {}})
			w.must(err)
			w.wantFeed("r1", c.then...)
		})
	}
}

package timelines_test

import (
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// A post with a new createdAt stays with its readers, even if it is now older than their follow,
// and even if a call dies between the two documents.
func TestMovedPostKeepsItsReaders(t *testing.T) {
	eachLayout(t, func(t *testing.T, opts timelines.Options) {
		w := newWorld(t, opts)
		now := time.Now().UTC().Truncate(time.Millisecond)
		for _, r := range []string{"r1", "r2"} {
			w.followsSince("ada", r, now.Add(-time.Hour))
		}
		posts := []string{"p1", "p2", "p3", "p4"}
		for n, p := range posts {
			w.of("ada", p, now.Add(time.Duration(n)*time.Second))
			w.must(w.d.Post(t.Context(), p))
		}
		var commits atomic.Int64
		dies := w.open(testkit.Failing(codes.Unknown, func(req any) bool { return isTimelineCommit(req) && commits.Add(1)%2 == 0 }))
		for _, p := range posts { // the oldest first, the newest last: of closed buckets, and of open
			w.of("ada", p, now.Add(-48*time.Hour))
			for range 3 {
				_ = dies.d.Post(t.Context(), p)
			}
			w.must(w.d.Post(t.Context(), p))
			w.wantNoProblem()
		}
		w.of("ada", "p2", now.Add(time.Minute)) // and back again
		w.must(w.d.Post(t.Context(), "p2"))
		w.must(w.d.Post(t.Context(), "p2"))
		for _, r := range []string{"r1", "r2"} {
			w.wantFeed(r, "p2", "p4", "p3", "p1")
		}
		w.wantNoProblem()
	})
}

// A full ring keeps a post that becomes the oldest, if it still has no more than its cap.
func TestFullRingKeepsPostMovedToOldest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(2, 4), Backfill: 100})
	now := time.Now().UTC().Truncate(time.Millisecond)
	w.followsSince("ada", "r1", now.Add(-time.Hour))
	for n, p := range []string{"p1", "p2", "p3", "p4"} {
		w.of("ada", p, now.Add(time.Duration(n)*time.Second))
		w.must(w.d.Post(t.Context(), p))
	}
	w.of("ada", "p4", now.Add(-time.Minute))
	w.must(w.d.Post(t.Context(), "p4"))
	w.wantFeed("r1", "p3", "p2", "p1", "p4")
	w.wantNoProblem()
}

// One reader's damaged edge keeps the post of no other where it was.
func TestDamagedEdgeDoesNotBlockMoves(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"buckets of 1", "days"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, layouts[name])
			now := time.Now().UTC().Truncate(time.Millisecond)
			for _, r := range []string{"r1", "r2", "r3"} {
				w.followsSince("ada", r, now.Add(-time.Hour))
			}
			for n, p := range []string{"p1", "p2"} {
				w.of("ada", p, now.Add(time.Duration(n)*time.Second))
				w.must(w.d.Post(t.Context(), p))
			}
			w.set("users/r2/following/ada", map[string]any{"indexId": 7})
			w.of("ada", "p2", now.Add(-48*time.Hour))
			w.must(w.d.Post(t.Context(), "p2"))
			if told, err := w.engine.List(t.Context(), 2, chunker.Failed); err != nil || len(told) != 1 || told[0].Kind != schema.KindDamage || told[0].Args[schema.ArgAuthor] != "ada" {
				t.Errorf("the jobs that tell of the damaged edge are %v, %v, want one of ada's", told, err)
			}
			for _, r := range []string{"r1", "r3"} {
				w.wantFeed(r, "p1", "p2")
			}
			w.wantFeed("r2", "p2", "p1")
		})
	}
}

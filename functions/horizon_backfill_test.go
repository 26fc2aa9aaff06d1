package functions_test

import (
	"sync/atomic"
	"testing"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/internal/runtime/config"
)

// The first index document is backfilled after others: their relations are there all the same.

func TestRaceTwoBackfills(t *testing.T) {
	t.Parallel()
	for name, gated := range map[string]func(any) bool{
		"the first has listed the posts, then the second ends":   readOf("posts/p4"),
		"the first has not listed the posts, then another opens": queryOf("posts"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := race{newApp(t, config.Functions{Horizon: 3, Capacity: 1})}
			r.posts("ada", 1, 4)
			r.Silence()
			held := newGate(t, gated)
			r.beside(held, r.follow(r.Instance(held.interceptor()), "r1"), r.follow(r.Instance(), "r2"))
			r.wantKeeps("ada", 2, "p4 p3 p2")
		})
	}
}

// A mended first index document is backfilled, while a post is evicted.
func TestRaceEvictionAndBackfillOfTheFirst(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	r.open()
	r.ok(r.follow(r.Instance(), "r3")())
	r.damage("users/ada/followers_index/00001", map[string]any{"backfilled": false})
	held := newGate(t, readOf("posts/p1"))
	x := r.Instance(held.interceptor())
	r.beside(held, func() error { return x.Relations.CatchUp(t.Context(), "ada", "00001") }, r.post(r.Instance(), "p4"))
	r.wantHorizon("p2", "p3", "p4")
}

func TestFollowersOfPostsAreImported(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Horizon: 3, Capacity: 1})
	a.posts("ada", 1, 4)
	a.Silence()
	follows := []load.Follows{{Author: "ada", Followers: []string{"r1", "r2", "r3", "r4"}}}
	var markers atomic.Int64
	counting := newGate(t, func(req any) bool {
		if commitOf("_relations/p4_00001")(req) {
			markers.Add(1)
		}
		return false
	})
	x := a.Instance(counting.interceptor())
	a.ok(load.New(x).Adopt(t.Context(), follows, load.Options{Since: day}))
	if n := markers.Load(); n != 1 {
		t.Errorf("a marker was written %d times", n)
	}
	a.wantKeeps("ada", 4, "p4 p3 p2")
}

// While the first index document was damaged, the job of a post skipped it: only its mending
// knows of the post.
func TestAPostIsKeptWhenTheFirstIndexDocumentIsMended(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	r.open()
	r.ok(r.follow(r.Instance(), "r3")())
	r.damage("users/ada/followers_index/00001", map[string]any{"backfilled": false})
	r.ok(r.Instance().Relations.CatchUp(t.Context(), "ada", "00001"))
	r.wantKeeps("ada", 2, "p4 p3 p2 p1")
}

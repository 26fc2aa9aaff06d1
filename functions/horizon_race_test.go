package functions_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/assembly"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/testkit"
	"example.com/relationindex/schema"
)

// Each race of an eviction, forced in both orders by holding one side at the wire.

// race is an app with a horizon of 3 whose functions are silent: the test calls them.
type race struct{ *app }

// newRace makes an app whose author ada has a follower and the posts p1 to p3, which are
// kept, and a post p4 of which no function has heard.
func newRace(t *testing.T) race {
	t.Helper()
	a := newApp(t, config.Functions{Horizon: 3, Capacity: 2})
	a.Follow("r1", "ada")
	a.Settle()
	a.posts("ada", 1, 3)
	a.Silence()
	a.Post("p4", "ada", day.Add(4*time.Hour))
	return race{a}
}

// beside begins one call, lets another end while the first is held, and lets the first end.
func (r race) beside(g *gate, held, other func() error) {
	r.T.Helper()
	done := make(chan error, 1)
	go func() { done <- held() }()
	g.await()
	if err := other(); err != nil {
		r.T.Fatal(err)
	}
	g.open()
	if err := <-done; err != nil {
		r.T.Fatal(err)
	}
}

// waits gives a call that should wait for a lock the time to end all the same.
func waits(done chan error) {
	select {
	case err := <-done:
		done <- err
	case <-time.After(time.Second):
	}
}

// post is the event of a post, at an instance.
func (r race) post(x *assembly.System, p string) func() error {
	return func() error { return x.Relations.Post(r.T.Context(), p) }
}

// evict is what follows the fanout of a new post.
func (r race) evict(x *assembly.System) func() error {
	return func() error {
		_, err := x.Relations.Evict(r.T.Context(), "ada", 3, schema.KeptAtMost(3))
		return err
	}
}

// follow is the event of a follow that has just been written.
func (r race) follow(x *assembly.System, follower string) func() error {
	return func() error {
		r.Follow(follower, "ada")
		return x.Graph.Follow(r.T.Context(), "ada", follower)
	}
}

// wantHorizon checks the invariant of a horizon at rest: the newest posts are kept, and
// every kept post has a relation to each index document.
func (r race) wantHorizon(want ...string) {
	r.T.Helper()
	found := r.relations()
	r.wantComplete(found)
	for _, p := range want {
		if found[p] == 0 {
			r.T.Errorf("%s is not kept, but %v", p, found)
		}
	}
	if most := schema.KeptAtMost(3) + 1; len(found) > most {
		r.T.Errorf("%d posts are kept: %v", len(found), found)
	}
}

// relations is how many each of ada's posts has.
func (r race) relations() map[string]int {
	r.T.Helper()
	docs, err := r.Client.Collection("_relations").Where("audience", "==", "ada").Documents(r.T.Context()).GetAll()
	if err != nil {
		r.T.Fatal(err)
	}
	found := map[string]int{}
	for _, doc := range docs {
		if p, ok := doc.Data()["postId"].(string); ok { // not the removal document
			found[p]++
		}
	}
	return found
}

// wantComplete checks that kept posts have a relation to each index document.
func (r race) wantComplete(found map[string]int) {
	r.T.Helper()
	indexes := r.Data("users/ada")["followers_index"].([]any)
	for p, n := range found {
		if n != len(indexes) {
			r.T.Errorf("%s has %d relations, want one for each of %v", p, n, indexes)
		}
	}
}

// The backfill of a second index document, and an eviction.
func TestRaceEvictionAndBackfill(t *testing.T) {
	t.Parallel()
	t.Run("backfill has listed the posts, then one is evicted", func(t *testing.T) {
		t.Parallel()
		r := newRace(t)
		r.open()
		held := newGate(t, readOf("posts/p1"))
		r.beside(held, r.follow(r.Instance(held.interceptor()), "r3"), r.post(r.Instance(), "p4"))
		r.wantHorizon("p2", "p3", "p4")
	})
	t.Run("backfill has read the marker, then eviction waits", func(t *testing.T) {
		t.Parallel()
		r := newRace(t)
		r.open()
		if err := r.copyWithoutEviction("p4"); err != nil {
			t.Fatal(err)
		}
		backfill := newGate(t, commitOf("_relations/p1_00002"))
		evict := newGate(t, commitOf("_relations/p1_00001"))
		filled, evicted := make(chan error, 1), make(chan error, 1)
		go func() { filled <- r.follow(r.Instance(backfill.interceptor()), "r3")() }()
		backfill.await()
		go func() { evicted <- r.evict(r.Instance(evict.interceptor()))() }()
		evict.await()
		evict.open()
		waits(evicted) // for the backfill's lock
		backfill.open()
		if err := errors.Join(<-filled, <-evicted); err != nil {
			t.Fatal(err)
		}
		r.wantHorizon("p2", "p3", "p4")
	})
	t.Run("eviction has listed, then an index document is opened", func(t *testing.T) {
		t.Parallel()
		r := newRace(t)
		r.open()
		held := newGate(t, readOf("users/ada"))
		r.beside(held, r.post(r.Instance(held.interceptor()), "p4"), r.follow(r.Instance(), "r3"))
		r.wantHorizon("p2", "p3", "p4")
	})
	// The backfill does not know of a post that is too old, and becomes kept after it.
	t.Run("a post has listed the index documents, then another is opened", func(t *testing.T) {
		t.Parallel()
		r := newRace(t)
		r.open()
		r.Post("old", "ada", day)
		held := newGate(t, readOf("users/ada/followers_index/00001"))
		evicting := newGate(t, func(req any) bool { // when it is kept
			commit, ok := req.(*pb.CommitRequest)
			return ok && commit.GetWrites()[0].GetDelete() != ""
		})
		done := make(chan error, 1)
		x := r.Instance(held.interceptor(), evicting.interceptor())
		go func() { done <- r.post(x, "old")() }()
		held.await()
		if err := r.follow(r.Instance(), "r3")(); err != nil {
			t.Fatal(err)
		}
		held.open()
		evicting.await()
		r.wantComplete(r.relations())
		evicting.open()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		r.wantHorizon("p2", "p3")
	})
}

// open fills the first index document: the next follower opens another.
func (r race) open() {
	r.T.Helper()
	if err := r.follow(r.Instance(), "r2")(); err != nil {
		r.T.Fatal(err)
	}
}

// Two evictions of one audience.
func TestRaceTwoEvictions(t *testing.T) {
	t.Parallel()
	for name, gated := range map[string]func(any) bool{
		"one has listed the posts, then the other evicts them": readOf("users/ada"),
		"one has counted, then the other evicts":               queryOf("_relations"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRace(t)
			r.Post("p5", "ada", day.Add(5*time.Hour))
			if err := r.post(r.Instance(), "p5")(); err != nil {
				t.Fatal(err)
			}
			held := newGate(t, gated)
			x, y := r.Instance(held.interceptor()), r.Instance()
			if err := r.post(r.Instance(), "p4")(); err != nil {
				t.Fatal(err)
			}
			r.Post("p6", "ada", day.Add(6*time.Hour))
			if err := r.copyWithoutEviction("p6"); err != nil {
				t.Fatal(err)
			}
			r.beside(held, r.evict(x), r.evict(y))
			r.wantHorizon("p4", "p5", "p6")
		})
	}
}

// copyWithoutEviction is the event of a post in a function that dies before it evicts.
func (r race) copyWithoutEviction(p string) error {
	x := r.Instance()
	x.DB.Horizons = schema.NewHorizons(x.DB.Client, false)
	return x.Relations.Post(r.T.Context(), p)
}

// The sync of a follow, and an eviction.
func TestRaceEvictionAndSync(t *testing.T) {
	t.Parallel()
	t.Run("sync has found the relations, then one is evicted", func(t *testing.T) {
		t.Parallel()
		r := newRace(t)
		held := newGate(t, commitOf("_relations/p1"))
		r.beside(held, r.follow(r.Instance(held.interceptor()), "r2"), r.post(r.Instance(), "p4"))
		r.wantHorizon("p2", "p3", "p4")
		r.WantFeed("r2", "p4", "p3", "p2")
	})
	t.Run("eviction has listed, then the relations are synced", func(t *testing.T) {
		t.Parallel()
		r := newRace(t)
		held := newGate(t, readOf("users/ada"))
		r.beside(held, r.post(r.Instance(held.interceptor()), "p4"), r.follow(r.Instance(), "r2"))
		r.wantHorizon("p2", "p3", "p4")
		r.WantFeed("r2", "p4", "p3", "p2")
	})
}

// The deletion of a kept post, and an eviction that counts it.
func TestRaceEvictionAndDeletion(t *testing.T) {
	t.Parallel()
	for name, removed := range testkit.CasesByName(t, map[string][]firestore.Update{
		"deleted":   nil,
		"hidden":    {{Path: "hidden", Value: true}},
		"moved":     {{Path: "audience", Value: "g_other"}},
		"older now": {{Path: "createdAt", Value: day.Add(-time.Hour)}},
	}) {
		remove := func(r race, p string) {
			r.T.Helper()
			if removed == nil {
				r.DeletePost(p)
			} else {
				r.Edit(p, removed...)
			}
		}
		t.Run(name+" has listed what must be kept, then eviction", func(t *testing.T) {
			t.Parallel()
			r := newRace(t)
			remove(r, "p3")
			held := newGate(t, readOf("posts/p3"))
			r.beside(held, r.post(r.Instance(held.interceptor()), "p3"), r.post(r.Instance(), "p4"))
			r.wantHorizon("p1", "p2", "p4")
		})
		t.Run("eviction has listed, then "+name, func(t *testing.T) {
			t.Parallel()
			r := newRace(t)
			held := newGate(t, readOf("users/ada"))
			r.beside(held, r.post(r.Instance(held.interceptor()), "p4"), func() error {
				remove(r, "p3")
				return r.Instance().Relations.Post(t.Context(), "p3")
			})
			r.wantHorizon("p1", "p2", "p4")
		})
		t.Run("eviction has counted, then "+name, func(t *testing.T) {
			t.Parallel()
			r := newRace(t)
			held, removing := newGate(t, commitOf("_relations/p1")), newGate(t, commitOf("_relations/p3"))
			evicted, gone := make(chan error, 1), make(chan error, 1)
			go func() { evicted <- r.post(r.Instance(held.interceptor()), "p4")() }()
			held.await()
			remove(r, "p3")
			go func() { gone <- r.post(r.Instance(removing.interceptor()), "p3")() }()
			removing.await()
			removing.open()
			waits(gone) // for the eviction
			held.open()
			if err := errors.Join(<-evicted, <-gone); err != nil {
				t.Fatal(err)
			}
			r.wantHorizon("p1", "p2", "p4")
		})
	}
}

// The oldest kept post becomes the newest, while it is evicted.
func TestRaceEvictionAndNewerPost(t *testing.T) {
	t.Parallel()
	raise := func(r race, x *assembly.System) func() error {
		return func() error {
			r.Edit("p1", firestore.Update{Path: "createdAt", Value: day.Add(100 * time.Hour)})
			return x.Relations.Post(r.T.Context(), "p1")
		}
	}
	t.Run("eviction has listed, then the post is newer", func(t *testing.T) {
		t.Parallel()
		r := newRace(t)
		held := newGate(t, readOf("users/ada"))
		r.beside(held, r.post(r.Instance(held.interceptor()), "p4"), raise(r, r.Instance()))
		r.wantHorizon("p1", "p3", "p4")
	})
	t.Run("the post's relations were found, then it is evicted", func(t *testing.T) {
		t.Parallel()
		r := newRace(t)
		held := newGate(t, readOf("posts/p1"))
		r.beside(held, raise(r, r.Instance(held.interceptor())), r.post(r.Instance(), "p4"))
		r.wantHorizon("p1", "p3", "p4")
	})
}

// Posts are deleted, and others take their place by jobs.
func TestRaceKeptPostAndItsJob(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	for name, gated := range map[string]func(any) bool{
		"the job runs, then the marker is written": commitOf("_relations/p3_00001"),
		"the job runs, then the other post goes": func(req any) bool {
			return readOf("posts/p6")(req) && reads.Add(1) == 2
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := race{newApp(t, config.Functions{Horizon: 3, Capacity: 1, InlineLimit: 1})}
			readers := []string{"r1", "r2", "r3", "r4", "r5"}
			for _, f := range readers {
				r.Follow(f, "ada")
			}
			r.Settle()
			r.posts("ada", 1, 6)
			r.Silence()
			removed := []string{"p6", "p5", "p4"}
			for _, p := range removed {
				r.DeletePost(p)
			}
			held := newGate(t, gated)
			r.beside(held, r.post(r.Instance(held.interceptor()), "p6"), func() error {
				before := r.markers()
				err := r.worker(0).finish(r.app)
				if after := r.markers(); after < before {
					t.Errorf("jobs have deleted %d of %d markers", before-after, before)
				}
				return err
			})
			for _, p := range removed {
				r.ok(r.Instance().Relations.Post(t.Context(), p))
			}
			r.ok(r.worker(0).finish(r.app))
			r.wantKeeps("ada", len(readers), "p3 p2 p1")
		})
	}
}

// markers returns how many posts are kept.
func (r race) markers() int {
	r.T.Helper()
	return len(r.documents(r.Client.Collection("_relations").Where("audience", "==", "ada").Where("indexId", "==", "00001").OrderBy("createdAt", firestore.Asc)))
}

// An old post is shown again, while it takes the place of one that is deleted.
func TestRaceDeletionAndPostThatComesBack(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	if err := r.post(r.Instance(), "p4")(); err != nil {
		t.Fatal(err)
	}
	r.Edit("p1", firestore.Update{Path: "hidden", Value: true})
	r.DeletePost("p4")
	held := newGate(t, readOf("posts/p4"))
	r.beside(held, r.post(r.Instance(held.interceptor()), "p4"), func() error {
		r.Edit("p1", firestore.Update{Path: "hidden", Value: false})
		return r.Instance().Relations.Post(t.Context(), "p1")
	})
	r.wantHorizon("p1", "p2", "p3")
}

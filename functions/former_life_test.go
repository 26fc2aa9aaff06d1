package functions_test

import (
	"testing"
	"time"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// fan0 has unfollowed ada, whose account is deleted before that event comes: the purge has no follower document
// to find, and the edge stays. The account is made anew.
func formerLife(t *testing.T) *app {
	t.Helper()
	a := adas(t, config.Functions{})
	a.Unfollow("fan0", "ada")
	a.DeleteAccount("ada")
	if err := a.worker(0).purge(a, "ada"); err != nil {
		t.Fatal(err)
	}
	if place := a.Data("users/fan0/following/ada")["indexId"]; place == nil { // it stays, or this shows nothing
		t.Fatal("the edge names no index document")
	}
	a.Profile("ada", map[string]any{"displayName": "Ada II"})
	return a
}

// An edge of the account's life before says nothing of where its follower is now.
func TestAnEdgeOfAFormerLifeIsNoPlace(t *testing.T) {
	t.Parallel()
	event := func(a *app, follower string) { a.events(a.Instance(), [2]string{"ada", follower}) }
	others := func(a *app, follower string) { // the index document is there again
		a.Follow(follower, "ada")
		event(a, follower)
	}
	for name, c := range testkit.CasesByName(t, map[string]struct {
		do      func(*app)
		follows bool
	}{
		"follows again": {func(a *app) {
			a.Follow("fan0", "ada")
			event(a, "fan0")
		}, true},
		"follows again, after another": {func(a *app) {
			others(a, "new")
			a.Follow("fan0", "ada")
			event(a, "fan0")
			event(a, "fan0") // it comes twice
		}, true},
		"is imported": {func(a *app) {
			follows := []load.Follows{{Author: "ada", Followers: []string{"fan0"}}}
			if err := load.New(a.Instance()).Adopt(a.T.Context(), follows, load.Options{Since: day}); err != nil {
				a.T.Fatal(err)
			}
			event(a, "fan0")
		}, true},
		"is imported, after another": {func(a *app) {
			others(a, "new")
			follows := []load.Follows{{Author: "ada", Followers: []string{"fan0"}}}
			if err := load.New(a.Instance()).Adopt(a.T.Context(), follows, load.Options{Since: day}); err != nil {
				a.T.Fatal(err)
			}
		}, true},
		"has left": {func(a *app) { event(a, "fan0") }, false},
		"has left, after another came": {func(a *app) {
			others(a, "new")
			event(a, "fan0")
			event(a, "fan0")
		}, false},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := formerLife(t)
			c.do(a)
			if got := a.Follows("fan0", "ada"); got != c.follows {
				t.Errorf("fan0 follows: %t", got)
			}
			a.WantVerified()
		})
	}
}

// An edge that is older than the index document it names may be right all the
// same: a repair, or a database that was restored, has made the document anew.
func TestAnEdgeOlderThanItsIndexDocument(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*app){
		"leaves": func(a *app) { a.Unfollow("r1", "author") },
		"has left and come again": func(a *app) {
			a.Unfollow("r1", "author")
			a.Follow("r1", "author")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := soundApp(t)
			a.renew("users/author/followers_index/00001")
			do(a)
			a.events(a.Instance(), [2]string{"author", "r1"})
			a.wantSound()
		})
	}
}

// A transaction on members has locks when it reads the array of such a document. If it
// waited for memory then, it could wait for work that has memory and waits for its locks.
func TestAMembersTransactionDoesNotWaitForMemory(t *testing.T) {
	t.Parallel()
	a := soundApp(t)
	a.renew("users/author/followers_index/00001")
	a.Unfollow("r1", "author")
	x := a.Instance()
	all, err := x.Graph.Pool.Memory.Take(t.Context(), schema.MemoryBudget)
	a.ok(err)
	handled := make(chan error, 1)
	go func() { handled <- x.Graph.Follow(t.Context(), "author", "r1") }()
	testkit.Until(t, "r1 has left the index document", func() bool {
		return a.Data("users/r1/following/author")["indexId"] == nil
	})
	all.Release()
	a.ok(<-handled)
	a.wantSound()
}

// renew makes a document anew, as it is.
func (a *app) renew(path string) {
	a.T.Helper()
	data := a.Data(path)
	a.Must(a.Client.Doc(path).Delete(a.T.Context()))
	testkit.Write(a.T, a.Client, map[string]map[string]any{path: data})
}

// A pass of sync that was overtaken by the purge of its author's account, and by a
// follower of the account that is back, has the changes of another document.
func TestALateSyncOfAFormerLife(t *testing.T) {
	t.Parallel()
	a := openApp(t, config.Functions{KeepPosts: true})
	a.Profile("author", map[string]any{"displayName": "Ada"})
	a.Post("p1", "author", day)
	for _, reader := range []string{"r1", "r2", "r3"} {
		a.followAll([]string{reader}, true)
	}
	gate := newGate(t, queryOf("_relations"))
	synced := make(chan error, 1)
	go func() { synced <- a.Instance(gate.interceptor()).Graph.Follow(t.Context(), "author", "r3") }() // its event comes again
	gate.await()
	a.DeleteAccount("author")
	a.ok(a.worker(0).purge(a, "author"))
	a.Profile("author", map[string]any{"displayName": "Ada II"})
	a.followAll([]string{"new"}, true)
	a.olderThanAPace("_relations/p1_00001")
	gate.open()
	a.ok(<-synced)
	a.wantSound()
}

// olderThanAPace waits until a relation is older than the pace of passes: a pass reads
// the index document again where another has just written the relation.
func (a *app) olderThanAPace(path string) {
	a.T.Helper()
	testkit.Until(a.T, "the relation is older than the pace of passes", func() bool {
		relation, err := a.Client.Doc(path).Get(a.T.Context())
		return err == nil && time.Since(relation.UpdateTime) > time.Second
	})
}

// Who has unfollowed and follows again before either event has come keeps the place. That costs a read
// and a write of the index document, whose version tells fan-outs; and two writes of the edge, which says
// what an earlier follow may have left until that is gone.
func TestCostOfAFollowThatIsYoungerThanItsEdge(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	a.Follow("r1", "author")
	a.Settle()
	a.Silence()
	event := func() wire.Counts {
		var meter wire.Meter
		a.events(a.Instance(meter.Interceptor()), [2]string{"author", "r1"})
		return meter.Counts()
	}
	before := event()
	a.Unfollow("r1", "author")
	a.Follow("r1", "author")
	if more := event().Minus(before); more.Reads != 1 || more.Writes != 3 || more.Deletes != 0 {
		t.Errorf("it costs %v more than a follow's second event, want a read and three writes", more)
	}
	a.WantVerified()
}

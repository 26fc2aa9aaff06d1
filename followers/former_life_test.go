package followers_test

import (
	"testing"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A transaction on members has locks when it reads the array of such a document. If it
// waited for memory then, it could wait for work that has memory and waits for its locks.
func TestMembersTransactionDoesNotWaitForMemory(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	a.Renew("users/author/followers_index/00001")
	a.Unfollow("r1", "author")
	x := a.Instance()
	all, err := x.Graph.Pool.Memory.Take(t.Context(), schema.MemoryBudget)
	a.OK(err)
	handled := make(chan error, 1)
	go func() { handled <- x.Graph.Follow(t.Context(), "author", "r1") }()
	testkit.Until(t, "r1 has left the index document", func() bool {
		return a.Data("users/r1/following/author")["indexId"] == nil
	})
	all.Release()
	a.OK(<-handled)
	a.WantSound()
}

// A pass of sync that was overtaken by the purge of its author's account, and by a
// follower of the account that is back, has the changes of another document.
func TestLateSyncAfterPurgeAndReturn(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, KeepPosts: true})
	a.Profile("author", map[string]any{"displayName": "Ada"})
	a.Post("p1", "author", stories.Day)
	for _, reader := range []string{"r1", "r2", "r3"} {
		a.FollowAll([]string{reader}, true)
	}
	gate := testkit.NewGate(t, testkit.QueryOf("_relations"))
	synced := make(chan error, 1)
	go func() { synced <- a.Instance(gate.Interceptor()).Graph.Follow(t.Context(), "author", "r3") }() // its event comes again
	gate.Await()
	a.DeleteAccount("author")
	a.OK(a.Worker(0).Purge(a, "author"))
	a.Profile("author", map[string]any{"displayName": "Ada II"})
	a.FollowAll([]string{"new"}, true)
	a.OlderThanAPace("_relations/p1_00001")
	gate.Open()
	a.OK(<-synced)
	a.WantSound()
}

// A follower who unfollows and follows again before either event keeps their place. That costs a read
// and a write of the index document, whose new version reaches fan-outs. It also costs two writes of the
// edge, which lists what the earlier follow may have left until that is removed.
func TestCostOfAFollowThatIsYoungerThanItsEdge(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.Follow("r1", "author")
	a.Settle()
	a.Silence()
	event := func() wire.Counts {
		var meter wire.Meter
		a.FollowEvents(a.Instance(meter.Interceptor()), [2]string{"author", "r1"})
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

package followers_test

import (
	"testing"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// Two processes change the followers of one author. One is held after its reads, before its
// commit, until the other has finished. The second must not wait for a lock of the first,
// and the first must not write its outdated plan.
func TestRaceMembersOfTwoProcesses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		capacity int
		second   func(*testkit.App) // than r2's follow
		follower string
		indexes  int
	}{
		"both join":                     {10, func(a *testkit.App) { a.Follow("r3", "author") }, "r3", 1},
		"one joins and one leaves":      {10, func(a *testkit.App) { a.Unfollow("r1", "author") }, "r1", 1},
		"both open an index document":   {1, func(a *testkit.App) { a.Follow("r3", "author") }, "r3", 3},
		"the second takes the last one": {2, func(a *testkit.App) { a.Follow("r3", "author") }, "r3", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: c.capacity})
			a.Post("p1", "author", stories.Day)
			a.Follow("r1", "author")
			a.Settle()
			a.Silence()
			a.Follow("r2", "author")
			c.second(a)
			held := testkit.NewGate(t, testkit.CommitOf("users/r2/following/author"))
			first, second := a.Instance(held.Interceptor()), a.Instance()
			ended := make(chan error, 1)
			go func() { ended <- first.Graph.Follow(t.Context(), "author", "r2") }()
			held.Await()
			if err := second.Graph.Follow(t.Context(), "author", c.follower); err != nil {
				t.Error("the second:", err)
			}
			held.Open()
			if err := <-ended; err != nil {
				t.Error("the first:", err)
			}
			a.WantVerified()
			a.WantFeed("r2", "p1")
			if got := a.Count("users/author/followers_index"); got != c.indexes {
				t.Errorf("%d index documents, want %d", got, c.indexes)
			}
		})
	}
}

// A repair found no place for r1, which was about to unfollow.
func TestUnfollowRemovesEdgeWithoutIndexDocument(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.Silence()
	a.Must(a.Client.Doc("users/r1/following/author").Set(t.Context(), map[string]any{"createdAt": stories.Day}))
	if err := a.Instance().Graph.Follow(t.Context(), "author", "r1"); err != nil {
		t.Error(err)
	}
	a.WantGone("r1")
}

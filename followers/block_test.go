package followers_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A block costs four reads, and a delete more than each unfollow: three reads find the block and the follows, and one
// that no post names the author. It costs only the reads if nobody follows or the event is a duplicate.
func TestCostOfABlock(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.Follow("follower", "author")
	a.Follow("friend", "author")
	a.Follow("author", "friend")
	a.Follow("author", "followed")
	a.Follow("author", "g_group")
	a.Settle()
	a.Silence() // events would cost too
	for name, want := range map[string]struct{ reads, deletes int64 }{"stranger": {4, 0}, "follower": {4, 1}, "followed": {4, 1}, "friend": {4, 2}, "g_group": {4, 1}} {
		a.Block("author", name)
		before := a.Meter.Counts()
		a.OK(a.Handlers().Function("OnBlockWritten")(t.Context(), testkit.EventOf(t, a.ID, "users/author/blocked/"+name)))
		if used := a.Meter.Counts().Minus(before); used.Reads != want.reads || used.Writes != 0 || used.Deletes != want.deletes {
			t.Errorf("the block of a %s cost %v, want %d reads and %d deletes", name, used, want.reads, want.deletes)
		}
	}
}

// A block that is taken back before its event comes has ended the follow all the
// same, and none that was made since.
func TestRevokedBlockStillEndsEarlierFollow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		follows bool // again, written over the follow that has not ended yet
		feed    []string
	}{
		"no new follow": {false, nil},
		"a new follow":  {true, []string{"p1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := testkit.NewGate(t, testkit.ReadOf("users/author/blocked/f"))
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true}, held.Interceptor())
			a.Post("p1", "author", stories.Day)
			a.Follow("f", "author")
			a.Follow("author", "f")
			a.Settle()
			a.Block("author", "f")
			held.Await()
			a.Unblock("author", "f")
			if test.follows {
				a.Follow("f", "author")
				a.Follow("author", "f")
			}
			held.Open()
			a.Settle()
			if got, back := a.Follows("f", "author"), a.Follows("author", "f"); got != test.follows || back != test.follows {
				t.Errorf("f follows: %v, is followed: %v, want %v", got, back, test.follows)
			}
			a.WantFeed("f", test.feed...)
			a.WantVerified()
		})
	}
}

// The handler has read the block and the follow. Meanwhile the author ends the block. The
// new follow waits for the handler, and is not treated as the old one.
func TestRaceBlockAndUnblock(t *testing.T) {
	t.Parallel()
	held := testkit.NewGate(t, testkit.DeleteOf("users/author/followers/f"))
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true}, held.Interceptor())
	a.Post("p1", "author", stories.Day)
	a.Follow("f", "author")
	a.Settle()
	a.Block("author", "f")
	held.Await()
	again := make(chan struct{})
	go func() {
		defer close(again)
		a.Unblock("author", "f")
		a.Follow("f", "author")
	}()
	held.Open()
	<-again
	a.Settle()
	if !a.Follows("f", "author") {
		t.Error("the follow after the block was taken back is gone")
	}
	a.WantFeed("f", "p1")
	a.WantVerified()
}

// Verify reports a block whose event was lost, and repair ends both follows.
func TestRepairOfABlock(t *testing.T) {
	t.Parallel()
	for name, author := range map[string]string{"one author": "author", "all": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
			a.Post("p1", "author", stories.Day)
			a.Follow("f", "author")
			a.Follow("author", "f")
			a.Follow("friend", "author")
			a.Settle()
			a.Silence()
			a.Block("author", "f")
			a.Block("author", "nobody")
			a.Settle()
			var ended []string
			for _, v := range a.Violations() {
				ended = append(ended, fmt.Sprint(v.Invariant, " ", v.Document))
			}
			if slices.Sort(ended); !slices.Equal(ended, []string{"5 users/author/followers/f", "5 users/f/followers/author"}) {
				t.Errorf("verify names %q, want both follows", ended)
			}
			repaired, _ := a.Repair(author)
			if repaired.Before.Violations != 2 || repaired.After.Violations != 0 {
				t.Errorf("repaired %+v", repaired)
			}
			if a.Follows("f", "author") || a.Follows("author", "f") {
				t.Error("a follow is left")
			}
			a.WantVerified()
			a.WantFeed("f")
			a.WantFeed("friend", "p1")
		})
	}
}

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

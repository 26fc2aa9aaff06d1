package functions_test

import (
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/config"
)

// block blocks a follower as the author's client does, and unblock takes it back.
func (a *app) block(author, follower string) {
	a.t.Helper()
	a.must(a.Client.Doc("users/"+author+"/blocked/"+follower).Set(a.t.Context(), map[string]any{"createdAt": firestore.ServerTimestamp}))
}

func (a *app) unblock(author, follower string) {
	a.t.Helper()
	a.must(a.Client.Doc("users/" + author + "/blocked/" + follower).Delete(a.t.Context()))
}

func (a *app) follows(follower, author string) bool {
	a.t.Helper()
	docs, err := a.Client.GetAll(a.t.Context(), []*firestore.DocumentRef{a.Client.Doc("users/" + author + "/followers/" + follower)})
	if err != nil {
		a.t.Fatal(err)
	}
	return docs[0].Exists()
}

func TestABlockEndsTheFollow(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	a.post("p1", "author", day)
	a.follow("troll", "author")
	a.follow("friend", "author")
	a.follow("author", "troll")
	a.idle()

	a.block("author", "troll")
	a.idle()
	a.wantFeed("troll")
	a.wantFeed("friend", "p1")
	if a.follows("troll", "author") || !a.follows("friend", "author") || !a.follows("author", "troll") {
		t.Error("a block of troll has to end troll's follow of author, and no other")
	}
	a.wantVerified()

	a.unblock("author", "troll")
	a.follow("troll", "author")
	a.idle()
	a.wantFeed("troll", "p1")
	a.wantVerified()
}

// What a block costs beside the unfollow: two reads and a delete, and the two
// reads alone where nobody follows or the event comes again.
func TestCostOfABlock(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	a.follow("follower", "author")
	a.idle()
	a.Silence() // events would cost too
	for name, want := range map[string]struct{ reads, deletes int64 }{"stranger": {2, 0}, "follower": {2, 1}} {
		a.block("author", name)
		before := a.Meter.Counts()
		if err := a.Handlers().Function("OnBlockCreated")(t.Context(), eventOf(t, "users/author/blocked/"+name)); err != nil {
			t.Fatal(err)
		}
		if used := a.Meter.Counts().Minus(before); used.Reads != want.reads || used.Writes != 0 || used.Deletes != want.deletes {
			t.Errorf("the block of a %s cost %v, want %d reads and %d deletes", name, used, want.reads, want.deletes)
		}
	}
}

// An event that comes when the block has been taken back leaves the follow that
// was made since; one that comes twice finds nothing to do.
func TestABlockThatComesLateOrTwice(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	a.post("p1", "author", day)
	a.follow("f", "author")
	a.idle()
	deliver := func() {
		t.Helper()
		if err := a.Handlers().Function("OnBlockCreated")(t.Context(), eventOf(t, "users/author/blocked/f")); err != nil {
			t.Fatal(err)
		}
		a.idle()
	}
	deliver() // long after the block was taken back
	a.wantFeed("f", "p1")

	a.block("author", "f")
	a.idle()
	deliver()
	a.wantFeed("f")
	a.wantVerified()
}

// A block that is taken back before its event comes has ended the follow all the
// same, and none that was made since.
func TestABlockIsTakenBackAtOnce(t *testing.T) {
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
			held := newGate(t, readOf("users/author/blocked/f"))
			a := newApp(t, config.Functions{}, held.interceptor())
			a.post("p1", "author", day)
			a.follow("f", "author")
			a.idle()
			a.block("author", "f")
			held.await()
			a.unblock("author", "f")
			if test.follows {
				a.follow("f", "author")
			}
			held.open()
			a.idle()
			if got := a.follows("f", "author"); got != test.follows {
				t.Errorf("f follows: %v, want %v", got, test.follows)
			}
			a.wantFeed("f", test.feed...)
			a.wantVerified()
		})
	}
}

// The handler has read block and follow; meanwhile the author takes the block
// back. The new follow waits for that, and is not taken for the old one.
func TestRaceBlockAndUnblock(t *testing.T) {
	t.Parallel()
	held := newGate(t, deleteOf("users/author/followers/f"))
	a := newApp(t, config.Functions{}, held.interceptor())
	a.post("p1", "author", day)
	a.follow("f", "author")
	a.idle()
	a.block("author", "f")
	held.await()
	again := make(chan struct{})
	go func() {
		defer close(again)
		a.unblock("author", "f")
		a.follow("f", "author")
	}()
	held.open()
	<-again
	a.idle()
	if !a.follows("f", "author") {
		t.Error("the follow after the block was taken back is gone")
	}
	a.wantFeed("f", "p1")
	a.wantVerified()
}

// A block whose event was lost is named by verify, and repair ends the follow.
func TestRepairOfABlock(t *testing.T) {
	t.Parallel()
	for name, author := range map[string]string{"one author": "author", "all": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, config.Functions{})
			a.post("p1", "author", day)
			a.follow("f", "author")
			a.follow("friend", "author")
			a.idle()
			a.Silence()
			a.block("author", "f")
			a.block("author", "nobody")
			a.idle()
			if found := a.violations(); len(found) != 1 || found[0].Invariant != 5 || found[0].Document != "users/author/followers/f" {
				t.Errorf("verify names %v, want the follow of f", found)
			}
			repaired, _ := a.repair(author)
			if repaired.Before.Violations != 1 || repaired.After.Violations != 0 {
				t.Errorf("repaired %+v", repaired)
			}
			a.wantVerified()
			a.wantFeed("f")
			a.wantFeed("friend", "p1")
		})
	}
}

// Documents that name no follow are acknowledged and left alone.
func TestABlockOfOneself(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	a.block("author", "author")
	a.idle()
	a.wantVerified()
}

package stories

import (
	"testing"

	"example.com/relationindex/schema"
)

func aBlockEndsTheFollow(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true})
	a.Post("p1", "author", Day)
	a.Follow("troll", "author")
	a.Follow("friend", "author")
	a.Follow("author", "troll")
	a.Settle()

	a.Block("author", "troll")
	a.Settle()
	a.WantFeed("troll")
	a.WantFeed("friend", "p1")
	if a.Follows("troll", "author") || a.Follows("author", "troll") || !a.Follows("friend", "author") {
		t.Error("a block of troll has to end the follows between troll and author, and no other")
	}
	a.WantVerified()

	a.Unblock("author", "troll")
	a.Follow("troll", "author")
	a.Settle()
	a.WantFeed("troll", "p1")
	a.WantVerified()
}

// A block that names no follow is acknowledged, and changes nothing.
func aBlockOfOneself(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true})
	a.Block("author", "author")
	a.Settle()
	a.WantVerified()
}

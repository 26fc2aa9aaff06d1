package load_test

import (
	"testing"
	"time"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// Adopted without options, follows are of now, and nothing is tried again.
func TestAdoptWithoutOptions(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
	a.Post("p1", "author", stories.Day)
	a.Settle()
	follows := []load.Follows{{Author: "author", Followers: []string{"r1", "r2", "r3"}}}
	for range 2 { // the second time there is nothing left to do
		if err := load.New(a.Instance()).Adopt(t.Context(), follows, load.Options{}); err != nil {
			t.Fatal(err)
		}
		a.Settle()
		a.WantFeed("r3", "p1")
		a.WantVerified()
	}
	if at := a.Data("users/author/followers/r3")["createdAt"].(time.Time); time.Since(at) > time.Hour {
		t.Errorf("the follow is of %v", at)
	}
}

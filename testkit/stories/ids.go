package stories

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/schema"
)

// Ids of any characters, up to the longest.
func unusualIDs(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true})
	longest := strings.Repeat("é", 749) + "x" // 1,499 bytes: the longest that can be queried
	for _, author := range []string{"with space", "a%2Fb", "日本語", `quo"te`, "trailing ", "tab\tin it", longest} {
		reader := "reader of " + author
		post := "post of " + author
		if author == longest {
			reader = strings.Repeat("r", 1499)
			post = strings.Repeat("p", 700)
		}
		a.Follow(reader, author)
		a.Settle()
		a.Must(a.Client.Collection("posts").Doc(post).Set(t.Context(), map[string]any{"userId": author, "createdAt": Day}))
		a.Settle()
		a.WantFeed(reader, post)
		a.Unfollow(reader, author)
		a.Settle()
		a.WantFeed(reader)
	}
	a.WantVerified()
}

// An account with the longest possible id can follow. A longer id cannot, and delays nobody.
func longestFollowerID(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true})
	follower := strings.Repeat("f", 1499)
	a.Follow(follower+"f", "author")
	a.Post("p1", "author", Day)
	a.Follow(follower, "author")
	a.Settle()
	doc, err := a.Client.Doc("_relations/p1_00001").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := doc.Data()["followers"].([]any); len(got) != 1 || got[0] != follower {
		t.Errorf("the relation does not hold the follower")
	}
	a.WantVerified()
}

// The id of one post may begin like the names of another post's relations. Then the names of its
// relations are among those of the other.
func postIDsThatBeginAlike(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 2, Chunk: 1})
	a.Follow("r1", "author")
	a.Follow("r2", "author")
	a.Settle()
	ids := []string{"p", "p_0", "p_00001", "p_00001_00002", "p_5x"}
	for i, id := range ids {
		a.Post(id, "author", Day.Add(time.Duration(i)*time.Hour))
	}
	a.Settle()
	a.WantFeed("r2", "p_5x", "p_00001_00002", "p_00001", "p_0", "p")
	a.WantVerified()
	a.DeletePost("p")
	a.DeletePost("p_00001")
	a.Settle()
	a.WantFeed("r1", "p_5x", "p_00001_00002", "p_0")
	a.WantVerified()
}

// Relations of a deleted post are found among those of posts whose ids begin alike, also at the edges
// of ranges.
func rangesKeepToTheirPost(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 3, Range: 4, Chunk: 2, Step: aPage})
	for i := range 11 {
		a.Follow(fmt.Sprintf("r%02d", i), "author")
	}
	a.Settle()
	for _, p := range []string{"p", "p_00004", "p_00005", "p_000041"} {
		a.Post(p, "author", Day)
	}
	a.Settle()
	a.WantVerified()
	a.DeletePost("p")
	a.Settle()
	a.WantVerified()
	if got := a.Count("_relations"); got != 3*11 {
		t.Errorf("%d relations, want those of three posts", got)
	}
}

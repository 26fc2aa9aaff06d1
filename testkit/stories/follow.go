package stories

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/schema"
)

func followThenFeed(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true})
	a.Post("p1", "author", Day)
	a.Post("p2", "author", Day.Add(time.Hour))
	a.Settle()
	a.WantFeed("reader")

	a.Follow("reader", "author")
	a.Settle()
	a.WantFeed("reader", "p2", "p1")

	a.Unfollow("reader", "author")
	a.Settle()
	a.WantFeed("reader")
	a.WantVerified()
}

func postThenFeed(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true})
	a.Follow("reader", "one")
	a.Follow("reader", "two")
	a.Follow("other", "two")
	a.Settle()

	a.Post("p1", "one", Day)
	a.Post("p2", "two", Day.Add(2*time.Hour))
	a.Post("p3", "one", Day.Add(time.Hour))
	a.Post("p4", "nobody follows", Day)
	a.Settle()
	a.WantFeed("reader", "p2", "p3", "p1")
	a.WantFeed("other", "p2")
	a.WantVerified()
}

func followersRollOverIntoNewIndexDocuments(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 3})
	a.Post("p1", "author", Day)
	for i := range 10 {
		a.Follow(fmt.Sprintf("reader%d", i), "author")
	}
	a.Settle()
	a.Post("p2", "author", Day.Add(time.Hour))
	a.Settle()
	for i := range 10 {
		a.WantFeed(fmt.Sprintf("reader%d", i), "p2", "p1")
	}
	if got := a.Count("users/author/followers_index"); got != 4 {
		t.Errorf("%d index documents for 10 followers at capacity 3, want 4", got)
	}
	if got := a.Count("_relations"); got != 8 {
		t.Errorf("%d relations for 2 posts and 4 index documents, want 8", got)
	}
	a.WantVerified()

	// An unfollow leaves a hole. The next follower is added to the latest index document.
	a.Unfollow("reader0", "author")
	a.Settle()
	a.Follow("reader10", "author")
	a.Settle()
	a.WantFeed("reader0")
	a.WantFeed("reader10", "p2", "p1")
	a.WantVerified()
}

func byteBudgetClosesAnIndexDocument(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, FollowersBytes: 2000})
	long := func(c string) string {
		id := ""
		for len(id) < 1400 {
			id += c
		}
		return id
	}
	a.Post("p1", "author", Day)
	a.Follow(long("a"), "author")
	a.Follow(long("b"), "author")
	a.Follow("short", "author")
	a.Settle()
	if got := a.Count("users/author/followers_index"); got != 2 {
		t.Errorf("%d index documents for two ids of 1,400 bytes and a short one at a budget of 2,000, want 2", got)
	}
	a.WantFeed(long("a"), "p1")
	a.WantFeed(long("b"), "p1")
	a.WantFeed("short", "p1")
	a.WantVerified()
}

func followingListNamesAuthors(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true})
	a.Follow("reader", "one")
	a.Follow("reader", "two")
	a.Settle()
	doc, err := a.Client.Doc("users/reader/following/one").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	truth, err := a.Client.Doc("users/one/followers/reader").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"indexId": "00001", "createdAt": truth.Data()["createdAt"]}
	if diff := cmp.Diff(want, doc.Data()); diff != "" {
		t.Errorf("edge (-want +got):\n%s", diff)
	}
	a.Unfollow("reader", "two")
	a.Settle()
	if got := a.Count("users/reader/following"); got != 1 {
		t.Errorf("%d edges after an unfollow, want 1", got)
	}
}

// A profile belongs to the client: opening index documents must not change it.
func profileIsKept(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 1})
	a.Must(a.Client.Doc("users/author").Set(t.Context(), map[string]any{"name": "Ada", "bio": "…"}))
	a.Follow("r1", "author")
	a.Follow("r2", "author")
	a.Settle()
	doc, err := a.Client.Doc("users/author").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"name": "Ada", "bio": "…",
		"followers_index": []any{"00001", "00002"}, "latestFollowersIndex": "00002",
	}
	if diff := cmp.Diff(want, doc.Data()); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
}

func flipFlopEndsAsTheTruth(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 2})
	a.Post("p1", "author", Day)
	for round := range 6 {
		for r := range 4 {
			if (round+r)%2 == 0 {
				a.Follow(fmt.Sprintf("r%d", r), "author")
			} else {
				a.Unfollow(fmt.Sprintf("r%d", r), "author")
			}
		}
	}
	a.Settle()
	a.WantFeed("r0")
	a.WantFeed("r1", "p1")
	a.WantFeed("r2")
	a.WantFeed("r3", "p1")
	a.WantVerified()
}

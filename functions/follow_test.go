package functions_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/config"
)

var day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (a *app) wantFeed(reader string, want ...string) {
	a.t.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, a.feed(reader)); diff != "" {
		a.t.Errorf("feed of %s (-want +got):\n%s", reader, diff)
	}
}

func TestFollowThenFeed(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	a.post("p1", "author", day)
	a.post("p2", "author", day.Add(time.Hour))
	a.idle()
	a.wantFeed("reader")

	a.follow("reader", "author")
	a.idle()
	a.wantFeed("reader", "p2", "p1")

	a.unfollow("reader", "author")
	a.idle()
	a.wantFeed("reader")
	a.wantVerified()
}

func TestPostThenFeed(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	a.follow("reader", "one")
	a.follow("reader", "two")
	a.follow("other", "two")
	a.idle()

	a.post("p1", "one", day)
	a.post("p2", "two", day.Add(2*time.Hour))
	a.post("p3", "one", day.Add(time.Hour))
	a.post("p4", "nobody follows", day)
	a.idle()
	a.wantFeed("reader", "p2", "p3", "p1")
	a.wantFeed("other", "p2")
	a.wantVerified()
}

func TestFollowersRollOverIntoNewIndexDocuments(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 3})
	a.post("p1", "author", day)
	for i := range 10 {
		a.follow(fmt.Sprintf("reader%d", i), "author")
	}
	a.idle()
	a.post("p2", "author", day.Add(time.Hour))
	a.idle()
	for i := range 10 {
		a.wantFeed(fmt.Sprintf("reader%d", i), "p2", "p1")
	}
	if got := a.count("users/author/followers_index"); got != 4 {
		t.Errorf("%d index documents for 10 followers at capacity 3, want 4", got)
	}
	if got := a.count("_relations"); got != 8 {
		t.Errorf("%d relations for 2 posts and 4 index documents, want 8", got)
	}
	a.wantVerified()

	// An unfollow leaves a hole; the next follower goes to the latest document.
	a.unfollow("reader0", "author")
	a.idle()
	a.follow("reader10", "author")
	a.idle()
	a.wantFeed("reader0")
	a.wantFeed("reader10", "p2", "p1")
	a.wantVerified()
}

func TestByteBudgetClosesAnIndexDocument(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{FollowersBytes: 2000})
	long := func(c string) string {
		id := ""
		for len(id) < 1400 {
			id += c
		}
		return id
	}
	a.post("p1", "author", day)
	a.follow(long("a"), "author")
	a.follow(long("b"), "author")
	a.follow("short", "author")
	a.idle()
	if got := a.count("users/author/followers_index"); got != 2 {
		t.Errorf("%d index documents for two ids of 1,400 bytes and a short one at a budget of 2,000, want 2", got)
	}
	a.wantFeed(long("a"), "p1")
	a.wantFeed(long("b"), "p1")
	a.wantFeed("short", "p1")
	a.wantVerified()
}

func TestFollowingListNamesAuthors(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	a.follow("reader", "one")
	a.follow("reader", "two")
	a.idle()
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
		t.Errorf("mirror (-want +got):\n%s", diff)
	}
	a.unfollow("reader", "two")
	a.idle()
	if got := a.count("users/reader/following"); got != 1 {
		t.Errorf("%d mirrors after an unfollow, want 1", got)
	}
}

// A profile is the client's: opening index documents must not touch it.
func TestProfileIsKept(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 1})
	a.must(a.Client.Doc("users/author").Set(t.Context(), map[string]any{"name": "Ada", "bio": "…"}))
	a.follow("r1", "author")
	a.follow("r2", "author")
	a.idle()
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

func TestFlipFlopEndsAsTheTruth(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 2})
	a.post("p1", "author", day)
	for round := range 6 {
		for r := range 4 {
			if (round+r)%2 == 0 {
				a.follow(fmt.Sprintf("r%d", r), "author")
			} else {
				a.unfollow(fmt.Sprintf("r%d", r), "author")
			}
		}
	}
	a.idle()
	a.wantFeed("r0")
	a.wantFeed("r1", "p1")
	a.wantFeed("r2")
	a.wantFeed("r3", "p1")
	a.wantVerified()
}

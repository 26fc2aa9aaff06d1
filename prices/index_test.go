package prices_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
)

// wantCostsOfAPost compares a new post, an edit and a deletion with the formulas. Of several jobs over
// ranges, one that ends may find another waiting for its event, and reads it too: then it looks at
// another post, five in all.
func (a *app) wantCostsOfAPost(x prices.Index, k int, post func(id string)) {
	a.T.Helper()
	for try, tries := 1, 5; try <= tries; try++ {
		id := fmt.Sprintf("p%d_%d", k, try)
		used := [3]wire.Counts{
			a.Used(func() { post(id) }),
			a.Used(func() { a.Edit(id, firestore.Update{Path: "text", Value: "two"}) }),
			a.Used(func() { a.DeletePost(id) }),
		}
		want := [3]wire.Counts{billed(x.Post(k), oneWrite), billed(x.Edit(k), oneWrite), billed(x.Delete(k), oneDelete)}
		for n := range used {
			used[n] = wire.Counts{Reads: used[n].Reads, Writes: used[n].Writes, Deletes: used[n].Deletes}
		}
		if used == want {
			return
		}
		if k <= ranged || try == tries {
			a.T.Errorf("a post, an edit and a deletion, with %d index documents: counted %v, the formulas say %v", k, used, want)
			return
		}
	}
}

// Posts cost what the formulas say while the author's index documents become more, inline and as jobs, with a direct
// relation and without.
func TestFormulasOfPosts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		own bool
		to  int
	}{{false, 0}, {false, 2}, {true, 0}, {true, 2}} {
		t.Run(fmt.Sprintf("%d recipients, own posts %v", test.to, test.own), func(t *testing.T) {
			t.Parallel()
			cfg := schema.Config{Capacity: 1, InlineLimit: inline, Chunk: chunk, Range: ranged, CopiedFields: []string{"text"}, NoOwnPosts: !test.own}
			a, x := newApp(t, cfg), formulas(cfg, 3)
			x.Recipients, x.OwnPosts = test.to, test.own
			people := []string{"r0", "r1"}[:test.to]
			have := 0
			for _, k := range []int{0, 1, 3, inline, 5, 6, ranged, ranged + 1, 10, 15} {
				for ; have < k; have++ {
					a.Follow(fmt.Sprintf("f%d", have), "author")
				}
				a.Settle()
				a.wantCostsOfAPost(x, k, func(id string) { a.PostTo(id, "author", "author", day, people...) })
			}
		})
	}
}

func TestFormulasOfFollows(t *testing.T) {
	t.Parallel()
	for profile, n := range pairs([]bool{true, false}, []int{inline, 0, 1, 5, 6}) {
		t.Run(fmt.Sprintf("%d posts, profile %v", n, profile), func(t *testing.T) {
			t.Parallel()
			cfg := schema.Config{NoOwnPosts: true, Capacity: 2, InlineLimit: inline, Chunk: chunk, CopiedFields: []string{"text"}}
			a, x := newApp(t, cfg), formulas(cfg, 6)
			if profile {
				a.Profile("author", map[string]any{"displayName": "Ada"})
			}
			for i := range n {
				a.Post(fmt.Sprintf("p%d", i), "author", day)
			}
			a.Settle()
			follow := func(f string) func() { return func() { a.Follow(f, "author") } }
			a.wantCost("the first follow", x.FollowOpening(n, 0), oneWrite, follow("f1"))
			a.wantCost("a follow", x.Follow(n), oneWrite, follow("f2"))
			a.wantCost("a follow that opens another index document", x.FollowOpening(n, 1), oneWrite, follow("f3"))
			a.Follow("f4", "author")
			a.Settle()
			a.wantCost("a follow that opens a third", x.FollowOpening(n, 2), oneWrite, follow("f5"))
			a.wantCost("an unfollow", x.Unfollow(n), oneDelete, func() { a.Unfollow("f1", "author") })
		})
	}
}

// A follow and an unfollow are about the posts that have relations, and cost no more.
func TestFollowCostWithHorizon(t *testing.T) {
	t.Parallel()
	cfg := schema.Config{NoOwnPosts: true, Horizon: 24 * time.Hour, Capacity: 10, CopiedFields: []string{"text"}}
	a, x := newApp(t, cfg), formulas(cfg, 3)
	for n := range 20 {
		a.Post(fmt.Sprint("old", n), "author", time.Now().AddDate(0, 0, -90))
	}
	for n := range 3 {
		a.Post(fmt.Sprint("new", n), "author", time.Now().Add(-time.Hour))
	}
	a.Follow("f0", "author")
	a.Settle()
	a.wantCost("a follow", x.Follow(3), oneWrite, func() { a.Follow("f1", "author") })
	a.wantCost("an unfollow", x.Unfollow(3), oneDelete, func() { a.Unfollow("f1", "author") })
	a.wantCost("a post", x.Post(1), oneWrite, func() { a.Post("p", "author", time.Now().Add(-time.Hour)) })
	a.wantCost("an edit", x.Edit(1), oneWrite, func() { a.Edit("p", firestore.Update{Path: "text", Value: "two"}) })
	a.wantCost("a deletion", x.Delete(1), oneDelete, func() { a.DeletePost("p") })
	a.wantCost("an edit of an old post", x.Edit(0), oneWrite, func() { a.Edit("old1", firestore.Update{Path: "text", Value: "two"}) })
}

func TestFormulaOfSweep(t *testing.T) {
	t.Parallel()
	a := newApp(t, schema.Config{NoOwnPosts: true})
	a.wantCost("a sweep", prices.Sweep(), wire.Counts{}, func() {
		answer := httptest.NewRecorder()
		a.Handlers().HTTP(triggers.Sweep)(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil))
		if answer.Code != http.StatusOK {
			t.Errorf("it answered %d: %s", answer.Code, answer.Body)
		}
	})
}

// An event that comes again, after everything is done, writes nothing.
func TestCostOfADuplicate(t *testing.T) {
	t.Parallel()
	a := newApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
	for i := range 5 {
		a.Follow(fmt.Sprintf("r%d", i), "author")
	}
	a.Post("p1", "author", day)
	a.Post("p2", "author", day)
	a.Settle()
	a.Unfollow("r1", "author")
	a.Must(a.Client.Doc("posts/p2").Delete(t.Context()))
	a.Settle()
	for function, paths := range map[string][]string{
		"OnFollowerWritten": {"users/author/followers/r0", "users/author/followers/r1", "users/author/followers/r4"},
		"OnPostWritten":     {"posts/p1", "posts/p2"},
	} {
		for _, path := range paths {
			before := a.Meter.Counts()
			a.again(function, path)
			if used := a.Meter.Counts().Minus(before); used.Writes+used.Deletes != 0 || used.Reads > 9 {
				t.Errorf("the second event of %s cost %v, want no writes and some reads", path, used)
			}
		}
	}
}

// A job that nothing disturbs costs two writes a hop.
func TestCostOfAFanoutJob(t *testing.T) {
	t.Parallel()
	const k = 24
	a := newApp(t, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 5, Chunk: 6})
	for i := range k {
		a.Follow(fmt.Sprintf("r%02d", i), "author")
	}
	a.Settle()
	used := a.Used(func() { a.Post("p1", "author", day) })
	const engine = 1 + 2 // enqueued, claimed, done
	if used.Writes > k+engine {
		t.Errorf("a post that became a job cost %v, want %d relations and at most %d job writes", used, k, engine)
	}
	const pages = 5 // of the job, each reading the post, the author and at least one relation
	if limit := int64(2*k + 5 + 3*pages + engine + 1); used.Reads > limit {
		t.Errorf("a post that became a job cost %v, want at most %d reads", used, limit)
	}
	t.Logf("job over %d index documents in pages of 6: %v", k, used)
}

// Members and sync have no use for the followers that are there already, and
// do not read them.
func TestFollowReadsNoOtherFollowers(t *testing.T) {
	t.Parallel()
	a := newApp(t, schema.Config{NoOwnPosts: true})
	const others = 5000
	followers := make([]string, others)
	size := 0
	for i := range followers {
		followers[i] = fmt.Sprintf("follower-%019d", i)
		size += len(followers[i]) + 1
	}
	a.Must(a.Client.Doc("users/author").Set(t.Context(), map[string]any{"followers_index": []string{"00001"}, "latestFollowersIndex": "00001"}))
	a.Must(a.Client.Doc("users/author/followers_index/00001").Set(t.Context(), map[string]any{
		"followers": followers, "count": others, "sizeBytes": size, "version": 1, "changes": []any{}, "backfilled": true,
	}))
	a.Post("p1", "author", day)
	a.Settle()
	for _, do := range []func(){func() { a.Follow("reader", "author") }, func() { a.Unfollow("reader", "author") }} {
		if used := a.Used(do); used.Received > 10_000 {
			t.Errorf("it received %d bytes, the followers have %d", used.Received, size)
		}
	}
	doc, err := a.Client.Doc("_relations/p1_00001").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := len(doc.Data()["followers"].([]any)); got != others {
		t.Errorf("the relation has %d followers, want %d", got, others)
	}
}

func TestEditOfAFieldThatIsNotCopiedCostsNothing(t *testing.T) {
	t.Parallel()
	a := newApp(t, schema.Config{NoOwnPosts: true})
	a.Follow("r1", "author")
	a.Post("p1", "author", day)
	a.Settle()
	before := a.Meter.Counts()
	a.Edit("p1", firestore.Update{Path: "text", Value: "new"})
	a.Settle()
	if used := a.Meter.Counts().Minus(before); used.Requests != 0 {
		t.Errorf("an edit of text, which is not copied, cost %v", used)
	}
}

func TestEditOfProfileFieldNotCopiedCostsNothing(t *testing.T) {
	t.Parallel()
	a := newApp(t, schema.Config{NoOwnPosts: true, AuthorFields: []string{"displayName=authorName"}})
	a.Profile("ada", map[string]any{"displayName": "Ada", "bio": "x"})
	a.Post("p1", "ada", day)
	a.Settle()
	if used := a.Used(func() { a.Profile("ada", map[string]any{"bio": "y"}) }); used.Requests != 0 {
		t.Errorf("it cost %v", used)
	}
}

package functions_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
)

// cost is what the functions used until idle after do.
func (a *app) cost(do func()) wire.Counts {
	a.T.Helper()
	before := a.Meter.Counts()
	do()
	a.Settle()
	return a.Meter.Counts().Minus(before)
}

func (a *app) wantNoJob() {
	a.T.Helper()
	if got := a.Count("_functions"); got != 0 {
		a.T.Errorf("%d job documents, want none", got)
	}
}

func TestCostOfAFollow(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 20, 100} {
		t.Run(fmt.Sprintf("%d posts", n), func(t *testing.T) {
			t.Parallel()
			a := newApp(t, config.Functions{})
			for i := range n {
				a.Post(fmt.Sprintf("p%03d", i), "author", day.Add(time.Duration(i)*time.Hour))
			}
			a.Settle()
			first := a.cost(func() { a.Follow("r1", "author") })
			if first.Writes != int64(n+4) || first.Reads > int64(2*n+8) {
				t.Errorf("the follow that opens an index document cost %v, want %d writes and at most %d reads", first, n+4, 2*n+8)
			}
			second := a.cost(func() { a.Follow("r2", "author") })
			if second.Writes != int64(n+2) || second.Reads > int64(2*n+8) || second.Deletes != 0 {
				t.Errorf("a follow cost %v, want %d writes and at most %d reads", second, n+2, 2*n+8)
			}
			third := a.cost(func() { a.Unfollow("r2", "author") })
			if third.Writes != int64(n+3) || third.Deletes != 1 || third.Reads > int64(2*n+8) {
				t.Errorf("an unfollow cost %v, want %d writes, 1 delete and at most %d reads", third, n+3, 2*n+8)
			}
			a.wantNoJob()
			t.Logf("opens: %v; follow: %v; unfollow: %v", first, second, third)
		})
	}
}

func TestCostOfAPost(t *testing.T) {
	t.Parallel()
	for _, k := range []int{1, 7, 40} {
		t.Run(fmt.Sprintf("%d index documents", k), func(t *testing.T) {
			t.Parallel()
			a := newApp(t, config.Functions{Capacity: 1, CopiedFields: []string{"text"}})
			for i := range k {
				a.Follow(fmt.Sprintf("r%d", i), "author")
			}
			a.Settle()
			created := a.cost(func() { a.Post("p1", "author", day) })
			if created.Writes != int64(k) || created.Reads > int64(2*k+5) {
				t.Errorf("a post cost %v, want %d writes and at most %d reads", created, k, 2*k+5)
			}
			edited := a.cost(func() { a.Post("p1", "author", day.Add(time.Hour)) })
			if edited.Writes != int64(k) || edited.Reads > int64(2*k+5) {
				t.Errorf("an edit cost %v, want %d writes and at most %d reads", edited, k, 2*k+5)
			}
			deleted := a.cost(func() { a.Must(a.Client.Doc("posts/p1").Delete(t.Context())) })
			if deleted.Writes != 0 || deleted.Deletes != int64(k) || deleted.Reads > int64(2*k+5) {
				t.Errorf("a deletion cost %v, want %d deletes and at most %d reads", deleted, k, 2*k+5)
			}
			a.wantNoJob()
			t.Logf("post: %v; edit: %v; deletion: %v", created, edited, deleted)
		})
	}
}

// An event that comes again, after everything is done, writes nothing.
func TestCostOfADuplicate(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 2})
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
			if err := a.Handlers().Function(function)(t.Context(), eventOf(t, path)); err != nil {
				t.Error(err)
			}
			if used := a.Meter.Counts().Minus(before); used.Writes+used.Deletes != 0 || used.Reads > 9 {
				t.Errorf("the second event of %s cost %v, want no writes and some reads", path, used)
			}
		}
	}
}

// A job that nothing disturbs costs two writes a hop beside its checkpoints.
func TestCostOfAFanoutJob(t *testing.T) {
	t.Parallel()
	const k = 24
	a := newApp(t, config.Functions{Capacity: 1, InlineLimit: 5, Chunk: 6})
	for i := range k {
		a.Follow(fmt.Sprintf("r%02d", i), "author")
	}
	a.Settle()
	used := a.cost(func() { a.Post("p1", "author", day) })
	const engine = 1 + 1 + 4 // enqueued, claimed, a checkpoint a page
	if used.Writes > k+engine {
		t.Errorf("a post that became a job cost %v, want %d relations and at most %d job writes", used, k, engine)
	}
	const pages = 5 // of the job, each reading the post, the author and at least one relation
	if limit := int64(2*k + 5 + 3*pages + 2*engine); used.Reads > limit {
		t.Errorf("a post that became a job cost %v, want at most %d reads", used, limit)
	}
	t.Logf("job over %d index documents in pages of 6: %v", k, used)
}

// Members and sync have no use for the followers that are there already, and
// do not read them.
func TestAFollowDoesNotReadTheOthers(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
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
		if used := a.cost(do); used.Received > 10_000 {
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
	a := newApp(t, config.Functions{})
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

func TestAChangeOfAProfileThatPostsDoNotCopyCostsNothing(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{AuthorFields: []string{"displayName=authorName"}})
	a.Profile("ada", map[string]any{"displayName": "Ada", "bio": "x"})
	a.Post("p1", "ada", day)
	a.Settle()
	if used := a.cost(func() { a.Profile("ada", map[string]any{"bio": "y"}) }); used.Requests != 0 {
		t.Errorf("it cost %v", used)
	}
}

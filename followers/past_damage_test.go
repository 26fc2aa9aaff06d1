package followers_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

const indexes = "users/author/followers_index/"

func remove(a *testkit.App, path string) {
	a.T.Helper()
	a.Must(a.Client.Doc(path).Delete(a.T.Context()))
}

// An unfollow needs no list of index documents, even with joiners in the same transaction.
func TestUnfollowNeedsNoIndexDocumentList(t *testing.T) {
	t.Parallel()
	a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true})
	remove(a, indexes+"00003")
	x := a.Instance()
	var all sync.WaitGroup
	for n := range 6 {
		leaver, joiner := fmt.Sprintf("r%02d", n), fmt.Sprintf("new%d", n)
		a.Unfollow(leaver, "author")
		a.Follow(joiner, "author")
		for _, f := range []string{leaver, joiner} {
			all.Go(func() {
				if err := x.Graph.Follow(t.Context(), "author", f); err != nil {
					t.Errorf("the event of %s ends with %v", f, err)
				}
			})
		}
	}
	all.Wait()
	for n := range 4 { // r04 and r05 were in the document that is gone
		a.WantGone(fmt.Sprintf("r%02d", n))
	}
	a.WantTold(indexes + "00004")
	a.RepairDamaged()
	if err := a.Worker(time.Hour).Finish(a); err != nil {
		t.Error(err)
	}
	a.WantVerified()
	a.WantFeed("new0", "p1", "p0")
}

// A deleted post leaves feeds even if the list of its audience's index documents, or of its
// next audience's, is damaged.
func TestPostIsRemovedDespiteDamagedList(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit int
		gap   string // whose list is damaged
		post  map[string]any
	}{
		"deleted":            {100, "author", nil},
		"deleted, in a job":  {2, "author", nil},
		"narrowed":           {100, "g_few", map[string]any{"userId": "author", "audience": "g_few", "createdAt": stories.Day}},
		"narrowed, in a job": {2, "g_few", map[string]any{"userId": "author", "audience": "g_few", "createdAt": stories.Day}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := schema.Config{NoOwnPosts: true, InlineLimit: c.limit, Chunk: 2}
			a := testkit.DamagedApp(t, cfg)
			a.Must(a.Client.Doc("users/"+c.gap).Set(t.Context(), map[string]any{"name": "Ada"}))
			if c.gap == "author" {
				remove(a, indexes+"00003")
			} else {
				a.Damage("users/g_few/followers_index/00002", map[string]any{"followers": []string{"r00"}, "count": 1})
			}
			if c.post == nil {
				remove(a, "posts/p1")
			} else {
				a.Must(a.Client.Doc("posts/p1").Set(t.Context(), c.post))
			}
			if err := a.Instance().Deliveries.Post(t.Context(), "p1"); err != nil {
				t.Errorf("the event of the post ends with %v", err)
			}
			if err := a.Worker(time.Hour).Finish(a); err != nil {
				t.Error(err)
			}
			for n := range 12 {
				a.WantFeed(fmt.Sprintf("r%02d", n), "p0")
			}
			if c.post != nil {
				a.WantTold("users/g_few/followers_index/00002")
			}
		})
	}
}

// An operator restores an index document that still lists a follower who has left it, and
// retries its job.
func TestPendingLeaverLeavesRestoredDocument(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(a *testkit.App) error{
		"retried": func(a *testkit.App) error {
			_, err := a.Instance().Engine.Retry(a.T.Context(), "index:author:00002")
			return err
		},
		"enqueued anew": func(a *testkit.App) error {
			return a.Instance().Graph.EnqueueIndex(a.T.Context(), "author", "00002", schema.IndexDocument{Version: 9})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true})
			before := a.Data(indexes + "00002")
			a.Must(a.Client.Doc(indexes+"00002").Set(t.Context(), testkit.BeyondRepair))
			a.Unfollow("r02", "author")
			x := a.Instance()
			_ = x.Graph.Follow(t.Context(), "author", "r02")
			if job := a.Worker(0).Until(a, "index:author:00002"); job.State != chunker.Failed {
				t.Fatalf("the job is %s, want it failed", job.State)
			}
			if err := x.Graph.Follow(t.Context(), "author", "r02"); err != nil {
				t.Fatal(err)
			}
			a.Must(a.Client.Doc(indexes+"00002").Set(t.Context(), before))
			if err := again(a); err != nil {
				t.Fatal(err)
			}
			if err := a.Worker(time.Hour).Finish(a); err != nil {
				t.Error(err)
			}
			if job := a.Job("index:author:00002"); job.State != chunker.Done || job.Args[schema.ArgLeaving] != "" {
				t.Errorf("the job is %s, and names %q; want it done, with nobody", job.State, job.Args[schema.ArgLeaving])
			}
			a.WantGone("r02")
			a.WantVerified()
		})
	}
}

// Posts skip a damaged document. A person repairs it before its job runs, and the job adds the posts.
func TestManuallyRepairedIndexDocumentGetsSkippedPosts(t *testing.T) {
	t.Parallel()
	a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true})
	a.Damage(indexes+"00002", map[string]any{"followers": "x"})
	a.Post("p2", "author", stories.Day.Add(2*time.Hour))
	if err := a.Instance().Deliveries.Post(t.Context(), "p2"); err != nil {
		t.Fatal(err)
	}
	a.Must(a.Client.Doc(indexes+"00002").Update(t.Context(), []firestore.Update{{Path: "followers", Value: []string{"r02", "r03"}}}))
	if err := a.Worker(time.Hour).Finish(a); err != nil {
		t.Error(err)
	}
	a.WantFeed("r02", "p2", "p1", "p0")
	a.WantVerified()
}

package functions_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
)

// inLanes is a configuration with which 11 index documents are three lanes of
// several pages each.
var inLanes = config.Functions{Capacity: 1, InlineLimit: 3, Lane: 4, Chunk: 2, Step: time.Nanosecond, CopiedFields: []string{"text"}}

// followed makes an author with n followers, each in an index document of its own.
func (a *app) followed(author string, n int) {
	a.T.Helper()
	for i := range n {
		a.Follow(fmt.Sprintf("r%02d", i), author)
	}
	a.Settle()
}

func (a *app) wantLanes(id string, lanes int, documents int64) {
	a.T.Helper()
	job := a.Job(id)
	if job.State != chunker.Done || job.Lanes != lanes || job.Done != documents || job.Total == nil || *job.Total != documents {
		a.T.Errorf("job is %s with %d lanes and %d documents of %v done, want done with %d lanes and %d of them",
			job.State, job.Lanes, job.Done, job.Total, lanes, documents)
	}
}

// A post of an author with many index documents is carried to them, edited,
// given to another author and deleted by lanes, with one parent that shows the sum.
func TestAPostInLanes(t *testing.T) {
	t.Parallel()
	const k = 11
	a := newApp(t, inLanes)
	a.followed("author", k)
	a.Follow("r00", "other")
	a.Follow("fan", "other")
	a.Settle()
	post := a.Client.Doc("posts/p1")

	created := a.cost(func() { a.Post("p1", "author", day) })
	a.wantLanes("post:p1", 3, k)
	a.WantFeed("r10", "p1")

	edited := a.cost(func() { a.Must(post.Update(t.Context(), []firestore.Update{{Path: "text", Value: "new"}})) })
	a.wantLanes("post:p1", 3, k)
	a.WantVerified()

	a.Must(post.Update(t.Context(), []firestore.Update{{Path: "userId", Value: "other"}}))
	a.Settle()
	a.WantFeed("r10")
	a.WantFeed("fan", "p1")
	a.Must(post.Update(t.Context(), []firestore.Update{{Path: "userId", Value: "author"}}))
	a.Settle()
	a.WantFeed("r10", "p1")
	a.WantFeed("fan")

	deleted := a.cost(func() { a.Must(post.Delete(t.Context())) })
	a.wantLanes("post:p1", 3, k)
	if got := a.Count("_relations"); got != 0 {
		t.Errorf("%d relations of a deleted post", got)
	}
	a.WantVerified()

	// Beyond the relations: the parent and its lanes are enqueued; each page is
	// claimed and handed over or finished, and its lane reports to the parent. Two
	// lanes look for more relations after the four that make two full pages.
	const enqueued, step, pages = 1 + 3, 3, 6
	if created.Writes != k+enqueued+step*pages || edited.Writes != k+enqueued+step*(pages+2) ||
		deleted.Writes != enqueued+step*(pages+2) || deleted.Deletes != k {
		t.Errorf("a post cost %v, its edit %v, its deletion %v", created, edited, deleted)
	}
	t.Logf("post: %v; edit: %v; deletion: %v", created, edited, deleted)
}

// The fan-out, and the deletion, of a post are killed before and after each of
// their writes in turn and resumed by another process.
func TestLanesKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	const strides = 4
	var points atomic.Int64
	t.Run("points", func(t *testing.T) {
		for _, deleted := range []bool{false, true} {
			for first := range strides {
				t.Run(fmt.Sprintf("deleted %v from %d", deleted, first+1), func(t *testing.T) {
					t.Parallel()
					for at := first + 1; killLanes(t, at, deleted); at += strides {
						points.Add(1)
					}
				})
			}
		}
	})
	t.Logf("killed at %d points", points.Load())
	if points.Load() < 30 {
		t.Errorf("only %d points were found", points.Load())
	}
}

// killLanes kills the job of a post at one of its writes, before it at odd
// ones and after it at even ones, and resumes it. It reports whether there was
// such a write.
func killLanes(t *testing.T, at int, deleted bool) bool {
	const k = 5
	cfg := inLanes
	cfg.InlineLimit, cfg.Lane = 1, 3
	a := newApp(t, cfg)
	a.followed("author", k)
	if deleted {
		a.Post("p1", "author", day)
		a.Settle()
	}
	a.Silence()
	want := k
	if deleted {
		a.Must(a.Client.Doc("posts/p1").Delete(t.Context()))
		want = 0
	} else {
		a.Post("p1", "author", day)
	}
	run := func(w worker) error {
		if err := w.index.Post(t.Context(), "p1"); err != nil {
			return err
		}
		return w.finish(a)
	}
	after := at%2 == 0
	death := wire.NewDeathAtWrite((at+1)/2, after)
	_ = run(a.worker(0, death.Interceptor()))
	if !death.Died() {
		return false
	}
	if err := run(a.worker(2 * time.Minute)); err != nil {
		t.Fatalf("killed at write %d (after it: %v): resumed: %v", (at+1)/2, after, err)
	}
	if got := a.Count("_relations"); got != want {
		t.Errorf("%d relations, want %d", got, want)
	}
	if !deleted { // the second deletion is one of its own, and finds less
		a.wantLanes("post:p1", 2, k)
	}
	a.WantVerified()
	if t.Failed() {
		t.Fatalf("killed at write %d, after it: %v", (at+1)/2, after)
	}
	return true
}

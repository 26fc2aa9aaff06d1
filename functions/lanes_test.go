package functions_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/devhost/faults"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/testkit"
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

// The fan-out, and the deletion, of a post are killed at each of
// their writes in turn and resumed by another process.
func TestLanesKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	const k = 5
	cfg := inLanes
	cfg.InlineLimit, cfg.Lane = 1, 3
	for name, c := range map[string]struct {
		posted bool // before; and deleted then
		want   int  // relations in the end
	}{"post": {false, k}, "deletion": {true, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, cfg)
			a.followed("author", k)
			if c.posted {
				a.Post("p1", "author", day)
				a.Settle()
			}
			a.Silence()
			if c.posted {
				a.DeletePost("p1")
			} else {
				a.Post("p1", "author", day)
			}
			documents := testkit.Documents(t, a.Client, nil)
			const least = 10 // writes
			killEach(t, testkit.Stride(t), 1, least, func(t *testing.T, death *faults.Death) {
				a := copyOf(t, cfg, documents)
				run := func(w worker) error {
					if err := w.index.Deliveries.Post(t.Context(), "p1"); err != nil {
						return err
					}
					return w.finish(a)
				}
				_ = run(a.worker(0, death.Interceptor()))
				if !death.Died() {
					return
				}
				if err := run(a.worker(2 * time.Minute)); err != nil {
					t.Fatal("resumed: ", err)
				}
				if got := a.Count("_relations"); got != c.want {
					t.Errorf("%d relations, want %d", got, c.want)
				}
				if !c.posted { // the second deletion is one of its own, and finds less
					a.wantLanes("post:p1", 2, k)
				}
				a.WantVerified()
			})
		})
	}
}

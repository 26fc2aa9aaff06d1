//go:build long

package relations_test

import (
	"testing"
	"time"

	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// The fan-out, and the deletion, of a post are killed at each of
// their writes in turn and resumed by another process.
func TestRangesKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	const k = 5
	cfg := testkit.InRanges
	cfg.InlineLimit, cfg.Range = 1, 3
	for name, c := range map[string]struct {
		posted bool // before; and deleted then
		want   int  // relations in the end
	}{"post": {false, k}, "deletion": {true, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, cfg)
			a.Followed("author", k)
			if c.posted {
				a.Post("p1", "author", stories.Day)
				a.Settle()
			}
			a.Silence()
			if c.posted {
				a.DeletePost("p1")
			} else {
				a.Post("p1", "author", stories.Day)
			}
			documents := testkit.Documents(t, a.Client, nil)
			const least = 10 // writes
			testkit.KillEach(t, 1, least, func(t *testing.T, death *faults.Death) {
				a := testkit.CopyOf(t, cfg, documents)
				run := func(w testkit.Worker) error {
					if err := w.Index.Deliveries.Post(t.Context(), "p1"); err != nil {
						return err
					}
					return w.Finish(a)
				}
				_ = run(a.Worker(0, death.Interceptor()))
				if !death.Died() {
					return
				}
				if err := run(a.Worker(2 * time.Minute)); err != nil {
					t.Fatal("resumed: ", err)
				}
				if got := a.Count("_relations"); got != c.want {
					t.Errorf("%d relations, want %d", got, c.want)
				}
				if !c.posted { // the second deletion is one of its own, and finds less
					a.WantRanges("p1", 2, k)
				}
				a.WantVerified()
			})
		})
	}
}

// The purge of an author's posts deletes the jobs of all their ranges, and those of no other post.
func TestPurgeDeletesJobsOfAllRanges(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, testkit.InRanges)
	a.Profile("author", map[string]any{"displayName": "A"})
	a.Followed("author", 11)
	a.Post("p", "author", stories.Day)
	a.Settle()
	a.WantRanges("p", 3, 11)
	other := a.Client.Doc("_functions/post:pq~00001-")
	a.Must(other.Set(t.Context(), a.Data("_functions/post:p~00001-00004")))
	a.DeleteAccount("author")
	a.Settle()
	jobs, err := a.Instance().Engine.Named(t.Context(), "post:", 100)
	if err != nil || len(jobs) != 1 || jobs[0].ID != other.ID {
		t.Errorf("the jobs are %v, %v, want that of another post", jobs, err)
	}
}

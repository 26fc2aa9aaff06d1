//go:build long

package relations_test

import (
	"testing"

	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// The jobs of a disturbed fan-out count each index document once.
func TestRangesOfDisturbedFanOutAddUp(t *testing.T) {
	t.Parallel()
	const k = 5
	cfg := testkit.InRanges
	cfg.InlineLimit, cfg.Range = 1, 3
	before := testkit.NewApp(t, cfg)
	before.Followed("author", k)
	before.Silence()
	before.Post("p1", "author", stories.Day)
	documents := testkit.Documents(t, before.Client, nil)
	testkit.Disturb(t, testkit.Disturbed[*testkit.App]{
		Name: "a post", Writes: 10,
		Prepare: func(t *testing.T) *testkit.App { return testkit.CopyOf(t, cfg, documents) },
		Act: func(a *testkit.App, p testkit.Process) error {
			w := a.Worker(p.Ahead, p.Interceptor)
			if err := w.Index.Deliveries.Post(a.T.Context(), "p1"); err != nil {
				return err
			}
			return w.Finish(a)
		},
		Check: func(a *testkit.App) {
			a.WantRanges("p1", 2, k)
			a.WantVerified()
		},
	})
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

//go:build long

package followers_test

import (
	"errors"
	"testing"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// The job that repairs an index document is disturbed, as is the event that enqueues it. Another process finishes both. Only
// that job covers p2, whose fan-out has skipped the document.
func TestDisturbedRepairJobIsFinished(t *testing.T) {
	t.Parallel()
	testkit.Disturb(t, testkit.Disturbed[*testkit.App]{
		Name: "an unfollow from a damaged index document", Writes: 8,
		Prepare: func(t *testing.T) *testkit.App {
			a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
			a.Post("p1", "author", stories.Day)
			testkit.Adopt(a, 3) // r00 and r01 are in 00001
			a.Damage("users/author/followers_index/00001", testkit.Mendable)
			a.Post("p2", "author", stories.Day.Add(time.Hour))
			a.OK(a.Instance().Deliveries.Post(t.Context(), "p2"))
			a.Must(a.Client.Doc("_functions/index:author:00001").Delete(t.Context())) // r00's event enqueues it
			a.Unfollow("r00", "author")
			return a
		},
		Act: func(a *testkit.App, p testkit.Process) error {
			w := a.Worker(p.Ahead, p.Interceptor)
			for {
				err := w.Index.Graph.Follow(a.T.Context(), "author", "r00")
				if err == nil || !errors.Is(err, schema.ErrDamaged) {
					return errors.Join(err, w.Finish(a))
				}
				if err := w.Finish(a); err != nil {
					return err
				}
			}
		},
		Check: func(a *testkit.App) {
			a.WantVerified()
			a.WantFeed("r01", "p2", "p1")
			a.WantGone("r00")
		},
	})
}

//go:build long

package followers_test

import (
	"errors"
	"testing"
	"time"

	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// The job that repairs an index document is killed at each of its writes, as is the event
// that enqueues it. Another process finishes both. Only that job covers p2, whose fan-out
// has skipped the document.
func TestRepairJobKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	cfg := schema.Config{NoOwnPosts: true, Capacity: 2}
	a := testkit.OpenApp(t, cfg)
	a.Post("p1", "author", stories.Day)
	testkit.Adopt(a, 3) // r00 and r01 are in 00001
	a.Damage("users/author/followers_index/00001", testkit.Mendable)
	a.Post("p2", "author", stories.Day.Add(time.Hour))
	if err := a.Instance().Deliveries.Post(t.Context(), "p2"); err != nil {
		t.Fatal(err)
	}
	a.Unfollow("r00", "author")
	documents := testkit.Documents(t, a.Client, nil)
	delete(documents, "_functions/index:author:00001") // r00's event enqueues it
	run := func(a *testkit.App, w testkit.Worker) error {
		for {
			err := w.Index.Graph.Follow(a.T.Context(), "author", "r00")
			if err == nil || !errors.Is(err, schema.ErrDamaged) {
				return errors.Join(err, w.Finish(a))
			}
			if err := w.Finish(a); err != nil {
				return err
			}
		}
	}
	testkit.KillEach(t, 1, 8, func(t *testing.T, death *faults.Death) {
		a := testkit.CopyOf(t, cfg, documents)
		_ = run(a, a.Worker(0, death.Interceptor()))
		if !death.Died() {
			return
		}
		if err := run(a, a.Worker(2*time.Minute)); err != nil {
			t.Fatal("resumed: ", err)
		}
		a.WantVerified()
		a.WantFeed("r01", "p2", "p1")
		a.WantGone("r00")
	})
}

package functions_test

import (
	"testing"
	"time"

	"example.com/relationindex/internal/devhost/faults"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/testkit"
)

// A new post has more relations than a handler writes, and so has the one that it evicts: both
// are jobs of several lanes. They are killed at each of their writes in turn. No post is left
// with some of its relations, and none is lost that must be kept.
func TestEvictionInLanesKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	cfg := config.Functions{Horizon: 2, Capacity: 1, InlineLimit: 1, Chunk: 3, Lane: 5}
	const followers = 14 // more than the inline limit of this horizon
	a := newApp(t, cfg)
	a.followed("ada", followers)
	a.posts("ada", 1, 2)
	a.Silence()
	a.Post("p3", "ada", day.Add(3*time.Hour))
	documents := testkit.Documents(t, a.Client, nil)
	killEach(t, 1, 15, func(t *testing.T, death *faults.Death) {
		a := copyOf(t, cfg, documents)
		run := func(w worker) error {
			if err := w.index.Deliveries.Post(t.Context(), "p3"); err != nil {
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
		a.WantVerified()
		if n := a.Count("_relations"); n != 2*followers && n != 3*followers {
			t.Errorf("%d relations, want those of two posts or three", n)
		}
	})
}

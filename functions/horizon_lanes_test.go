package functions_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/relationindex/chunker"
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
	killEach(t, testkit.Stride(t), 1, 15, func(t *testing.T, death *faults.Death) {
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

// A lane of a post's job has planned to write the marker. Another lane writes it, newer posts
// come, and the post is evicted.
func TestRaceEvictionAndLanes(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Horizon: 10, Capacity: 1, InlineLimit: 1, Lane: 8})
	const followers = 24 // more than the inline limit of this horizon
	a.followed("ada", followers)
	a.Silence()
	begin := func(n int) worker {
		a.Post(fmt.Sprint("p", n), "ada", day.Add(time.Duration(n)*time.Hour))
		w := a.worker(0)
		a.ok(w.index.Deliveries.Post(t.Context(), fmt.Sprint("p", n)))
		return w
	}
	w := begin(1)
	jobs, err := w.Unfinished(t.Context(), 100)
	a.ok(err)
	last := jobs[slices.IndexFunc(jobs, func(j chunker.Job) bool { return j.Lane != nil && j.Lane.From != "" && j.Lane.To == "" })]
	held := newGate(t, readOf("posts/p1"))
	done := make(chan error, 1)
	go func() {
		budget := chunker.NewBudget(t.Context(), time.Now(), time.Minute, 0, nil).Yield(time.Nanosecond)
		done <- a.worker(0, held.interceptor()).Run(t.Context(), last.ID, budget)
	}()
	held.await()
	for n := 2; n <= 12; n++ {
		_ = begin(n).finish(a) // all but the lane
	}
	held.open()
	a.ok(<-done)
	a.ok(a.worker(2 * time.Minute).finish(a))
	a.wantKeeps("ada", followers, "p12 p11 p10 p9 p8 p7 p6 p5 p4 p3")
}

package chunker_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// The events of a job with a dead step are redelivered all at once. One of them
// takes over, and the others do not disturb it.
func TestSimultaneousEventsTakeOverOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	ended := b.clock.Now().Add(-time.Minute)
	if _, err := b.client.Doc("_functions/j").Update(t.Context(), []firestore.Update{
		{Path: "state", Value: chunker.Running}, {Path: "wakeAt", Value: ended},
		{Path: "lease", Value: map[string]any{"holder": "died", "until": ended}},
	}); err != nil {
		t.Fatal(err)
	}
	processes := []*chunker.Engine{b.Engine, b.engine(), b.engine()}
	var herd sync.WaitGroup
	for n := range 60 {
		herd.Go(func() {
			testkit.NoError(t, processes[n%len(processes)].Run(t.Context(), "j", b.plenty()))
		})
	}
	herd.Wait()
	b.wantState("j", chunker.Done)
	if len(b.visited) != items {
		t.Errorf("%d items were visited, want each of %d once", len(b.visited), items)
	}
}

// Instances that find the same work at once, each another version of it, write its
// job once, and none waits for another.
func TestTenInstancesEnqueueOneJob(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(*bench)
		most   int64 // writes
	}{
		"there is none":       {func(*bench) {}, 1},
		"it is queued":        {func(b *bench) { b.enqueue(chunker.Spec{ID: "j", Kind: "visit", Generation: "before"}) }, 0},
		"it has begun":        {func(b *bench) { b.begin() }, 1},
		"it has ended before": {func(b *bench) { b.begin(); b.deliver("j") }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			c.before(b)
			meter := &wire.Meter{}
			client, err := connect(t.Context(), b.project, meter.Interceptor())
			b.ok(err)
			var herd sync.WaitGroup
			for n := range 10 {
				herd.Go(func() {
					spec := chunker.Spec{ID: "j", Kind: "visit", Generation: fmt.Sprint(n)}
					testkit.NoError(t, b.engineOn(client).Enqueue(t.Context(), spec))
				})
			}
			herd.Wait()
			if used := meter.Counts(); used.Writes > c.most {
				t.Errorf("ten instances wrote the job %d times, want %d", used.Writes, c.most)
			}
			seen := len(b.visited)
			b.deliver("j")
			b.wantState("j", chunker.Done)
			if again := b.visited[seen:]; len(again) < items {
				t.Errorf("then %q are visited, want all", again)
			}
		})
	}
}

// begin begins a job, and hands it over after its first page.
func (b *bench) begin() {
	b.t.Helper()
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit", Generation: "before"})
	if err := b.run("j", b.pages(1)); err != nil {
		b.t.Fatal(err)
	}
	if job := b.wantState("j", chunker.Queued); job.Done == 0 {
		b.t.Fatalf("the job has not begun: %+v", job)
	}
}

package chunker_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
)

// The events of a job whose step has died come again all at once. One of them
// takes over, and no other is in its way.
func TestAHerdOfEventsTakesOverOnce(t *testing.T) {
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
	hop := b.job("j").Hop
	processes := []*chunker.Engine{b.Engine, b.engine(), b.engine()}
	var herd sync.WaitGroup
	for n := range 60 {
		herd.Go(func() {
			if err := processes[n%len(processes)].Run(t.Context(), "j", hop, b.plenty()); err != nil && !errors.Is(err, chunker.ErrBusy) {
				t.Error(err)
			}
		})
	}
	herd.Wait()
	b.wantState("j", chunker.Done)
	if len(b.visited) != items {
		t.Errorf("%d items were visited, want each of %d once", len(b.visited), items)
	}
}

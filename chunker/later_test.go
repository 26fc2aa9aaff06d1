package chunker_test

import (
	"testing"
	"time"

	"example.com/relationindex/chunker"
)

// A delayed run starts once, at its time. Generations that arrive before that write nothing.
// A generation that arrives during the run gets a run at its own time.
func TestDelayedRunStartsAtItsTime(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	enqueue := func(generation string, in time.Duration) {
		t.Helper()
		b.enqueue(chunker.Spec{ID: "j", Kind: "visit", Generation: generation, At: b.clock.Now().Add(in)})
	}
	run := func(budget chunker.Budget, visited int) {
		t.Helper()
		b.visited = nil
		b.ok(b.run("j", budget))
		if len(b.visited) != visited {
			t.Fatalf("the step visits %d items, want %d", len(b.visited), visited)
		}
	}
	sweeps := func(woken int) {
		t.Helper()
		if got := b.sweep(); got.Woken != woken {
			t.Fatalf("Sweep queues %+v, want %d", got, woken)
		}
	}

	enqueue("1", 3*time.Hour) // longer than any retry
	before := b.wantState("j", chunker.Queued)
	if !before.Later() || before.Waiting() || b.Concerns(before) {
		t.Fatalf("the job does not begin later: %+v", before)
	}
	b.clock.move(2 * time.Hour)
	for range 3 {
		enqueue("2", time.Hour)
	}
	run(b.plenty(), 0)
	sweeps(0)
	if job := b.job("j"); job.Hop != before.Hop || !job.UpdatedAt.Equal(before.UpdatedAt) {
		t.Errorf("other generations write the job: %+v", job)
	}
	b.clock.move(2 * time.Hour)
	sweeps(1)
	run(b.pages(1), 3)

	enqueue("3", time.Hour) // in the middle of the run
	run(b.plenty(), items-3)
	if job := b.wantState("j", chunker.Queued); !job.Later() || b.Concerns(job) {
		t.Errorf("the next run does not begin later: %+v", job)
	}
	run(b.plenty(), 0)
	b.clock.move(2 * time.Hour)
	run(b.plenty(), items) // also by a late event
	b.wantState("j", chunker.Done)

	enqueue("4", -time.Hour)
	run(b.plenty(), items)
	b.wantState("j", chunker.Done)
}

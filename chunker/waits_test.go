package chunker_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
)

// A job whose pages skipped some work ends its run, and then waits: without an attempt, and without
// an event. Another generation runs at once. Sweep queues the job when it may run again.
func TestJobWithSkippedWorkWaitsForRelease(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	brake := true
	var seen []string
	page := func(name string, adds bool) chunker.Phase {
		return chunker.Phase{Name: name, Page: func(_ context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
			seen = append(seen, name+job.Generation)
			return chunker.Page{Done: 1, Waits: brake && adds}, nil
		}}
	}
	b.Register(chunker.Task{Kind: "waits", Phases: []chunker.Phase{page("add", true), page("take", false)}})
	b.ReleaseBy(func() bool { return !brake })
	enqueue := func(generation string) {
		t.Helper()
		b.enqueue(chunker.Spec{ID: "j", Kind: "waits", Generation: generation})
	}
	run := func(budget chunker.Budget, want string) {
		t.Helper()
		seen = nil
		b.ok(b.run("j", budget))
		if got := strings.Join(seen, " "); got != want {
			t.Fatalf("the step runs %q, want %q", got, want)
		}
	}
	waits := func() chunker.Job {
		t.Helper()
		job := b.wantState("j", chunker.Queued)
		if !job.Waiting() || job.Attempt > 0 || job.Phase > 0 || b.Concerns(job) {
			t.Fatalf("the job does not wait: %+v", job)
		}
		return job
	}
	sweeps := func(want chunker.Swept) {
		t.Helper()
		b.clock.move(time.Hour)
		if diff := cmp.Diff(want, b.sweep()); diff != "" {
			t.Fatalf("swept (-want +got):\n%s", diff)
		}
	}

	enqueue("1")
	run(b.plenty(), "add1 take1")
	before := waits()
	run(b.plenty(), "")
	sweeps(chunker.Swept{})
	enqueue("1")
	if job := waits(); job.Hop != before.Hop {
		t.Errorf("the same generation queues the job again, hop %d after %d", job.Hop, before.Hop)
	}
	enqueue("2") // perhaps of something that must not wait
	run(b.plenty(), "add2 take2")
	waits()

	brake = false
	sweeps(chunker.Swept{Due: 1, Woken: 1})
	if job := b.wantState("j", chunker.Queued); job.Waiting() || !b.Concerns(job) {
		t.Errorf("the job still waits: %+v", job)
	}
	run(b.plenty(), "add2 take2")
	b.wantState("j", chunker.Done)
	sweeps(chunker.Swept{})

	// The job keeps a page's skipped work from one step to the next, and the next sweep finds a late one.
	brake = true
	enqueue("3")
	run(b.pages(1), "add3")
	brake = false
	if got, err := b.Sweep(t.Context(), b.plenty()); err != nil || got.Woken > 0 {
		t.Errorf("in the middle of the run, Sweep queues the job: %+v, %v", got, err)
	}
	run(b.plenty(), "take3")
	waits()
	sweeps(chunker.Swept{Due: 1, Woken: 1})
	run(b.plenty(), "add3 take3")
	b.wantState("j", chunker.Done)
}

package chunker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/testkit"
)

// Pages use the highest of ordered generations, in any order of arrival and in any state of the
// job. Generations that arrive during one run share the next run.
func TestHighestGenerationWins(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var seen []string
	meanwhile := map[int][]string{4: {"20", "9", "100", "30"}, 5: {"50", "101", "7"}} // by page
	b.Register(chunker.Task{Kind: "ordered", Phases: []chunker.Phase{{Name: "items", Page: func(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
		seen = append(seen, job.Generation)
		for _, generation := range meanwhile[len(seen)] {
			testkit.NoError(t, b.Enqueue(ctx, ordered(generation)))
		}
		if len(seen) == 2 {
			return chunker.Page{}, errors.New("no")
		}
		return chunker.Page{Done: 1, More: job.Done < 2}, nil
	}}}})
	run := func(pages int) {
		t.Helper()
		b.ok(b.run("j", b.pages(pages)))
	}
	want := func(generation, of string, state chunker.State) {
		t.Helper()
		if job := b.wantState("j", state); job.Generation != generation || job.RunGeneration != of {
			t.Fatalf("the job has generation %s, in a run of %s; want %s, %s", job.Generation, job.RunGeneration, generation, of)
		}
	}
	b.enqueue(ordered("5"))
	b.enqueue(ordered("10"))
	b.enqueue(ordered("9")) // as text it would be higher
	want("10", "10", chunker.Queued)
	run(1)
	run(1) // fails
	want("10", "10", chunker.Queued)
	failed := b.job("j")
	b.enqueue(ordered("11"))
	woken := b.job("j")
	b.clock.move(time.Second)
	b.enqueue(ordered("12"))
	if again := b.job("j"); !woken.WakeAt.Before(*failed.WakeAt) || !again.WakeAt.Equal(*woken.WakeAt) || again.Hop != failed.Hop+2 {
		t.Errorf("the job wakes at %v, %v, %v, with hop %d and then %d: want it woken once in a run, and one event that waits",
			failed.WakeAt, woken.WakeAt, again.WakeAt, failed.Hop, again.Hop)
	}
	want("12", "10", chunker.Queued)
	run(1)
	b.enqueue(ordered("11"))
	run(1)
	want("100", "100", chunker.Queued) // the first run has ended
	run(9)
	want("101", "101", chunker.Queued)
	run(9)
	want("101", "101", chunker.Done)
	testkit.Same(t, "pages see", []string{"10", "10", "12", "12", "100", "100", "100", "101", "101", "101"}, seen)
	for _, generation := range []string{"101", "100", "-1", "not a number"} {
		b.enqueue(ordered(generation))
		want("101", "101", chunker.Done)
	}
	b.enqueue(ordered("102"))
	want("102", "102", chunker.Queued)
	if _, err := b.Cancel(t.Context(), "j"); err != nil {
		t.Fatal(err)
	}
	b.enqueue(ordered("3"))
	want("102", "102", chunker.Canceled)
	b.enqueue(ordered("103"))
	want("103", "103", chunker.Queued)
}

// A page that fails is tried again at once for the first generation that comes in its run, not for
// each.
func TestOrderedGenerationsKeepTheWait(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	n := 1
	b.Register(chunker.Task{Kind: "ordered", Phases: []chunker.Phase{{Name: "items", Page: func(ctx context.Context, _ chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
		n++
		testkit.NoError(t, b.Enqueue(ctx, ordered(fmt.Sprint(n))))
		return chunker.Page{}, errors.New("no")
	}}}})
	b.enqueue(ordered("1"))
	for _, waits := range []bool{false, true} {
		b.ok(b.run("j", b.plenty()))
		if job := b.wantState("j", chunker.Queued); job.WakeAt.After(b.clock.Now()) != waits {
			t.Errorf("after attempt %d of generation %s, in a run of %s, the job wakes at %v, now is %v", job.Attempt, job.Generation, job.RunGeneration, job.WakeAt, b.clock.Now())
		}
	}
}

// Instances that enqueue at once lose nothing.
func TestHighestGenerationWinsAcrossInstances(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const most = 12
	failed := make(chan error, most)
	for n := range most {
		go func() { failed <- b.engine().Enqueue(t.Context(), ordered(fmt.Sprint((n*5)%most))) }()
	}
	for range most {
		testkit.NoError(t, <-failed)
	}
	if job := b.wantState("j", chunker.Queued); job.Generation != fmt.Sprint(most-1) || job.RunGeneration != job.Generation {
		t.Errorf("the job has generation %s, in a run of %s", job.Generation, job.RunGeneration)
	}
}

func ordered(generation string) chunker.Spec {
	return chunker.Spec{ID: "j", Kind: "ordered", Generation: generation, Ordered: true}
}

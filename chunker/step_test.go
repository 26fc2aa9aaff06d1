package chunker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// A step writes its job twice, however many pages it has, and though one of them fails: once
// to claim it, and once at its end.
func TestStepWritesItsJobTwice(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit twice"})
	failures := 0
	b.fail = func(item string) error {
		if item == "i4" && failures < 3 {
			failures++
			return status.Error(codes.Unavailable, "not now")
		}
		return nil
	}
	meter := &wire.Meter{}
	client, err := connect(t.Context(), b.project, meter.Interceptor())
	b.ok(err)
	began := b.clock.Now()
	b.ok(b.engineOn(client).Run(t.Context(), "j", b.patient()))
	job := b.wantState("j", chunker.Done)
	if job.Done != 2*items || job.Hop != 1 || job.Attempt != 0 || job.Error != nil || failures != 3 {
		t.Errorf("after %d failures the job is %+v", failures, job)
	}
	if used := meter.Counts(); used.Writes != 2 {
		t.Errorf("the job was written %d times, want 2", used.Writes)
	}
	if waited, want := b.clock.Now().Sub(began), time.Second/2+time.Second+time.Second/2; waited != want {
		t.Errorf("the page was repeated within %v, want %v", waited, want)
	}
}

// A page is handed over if its wait is longer than the step. A permanent error ends the job at
// once. The work done before stays.
func TestPageRetriesAreBounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err     error
		budget  time.Duration
		state   chunker.State
		attempt int
	}{
		"no time for another wait": {errors.New("no"), 2 * time.Second, chunker.Queued, 3},
		"time for all waits":       {errors.New("no"), 3 * time.Minute, chunker.Failed, 8}, // patience is a minute
		"no retry can help":        {chunker.Permanent(errors.New("no")), time.Minute, chunker.Failed, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
			b.fail = func(item string) error {
				if item == "i3" {
					return c.err
				}
				return nil
			}
			b.ok(b.run("j", b.patient().Yield(c.budget)))
			job := b.wantState("j", c.state)
			if job.Attempt != c.attempt || job.Done != 3 || job.LastDoc == nil || job.Error == nil {
				t.Errorf("the job: %+v, want %d attempts", job, c.attempt)
			}
		})
	}
}

// A page's findings before its hand-over are in the job before the next page begins.
func TestPageStoresCountsBeforeHandOver(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var receipts []int64
	b.Register(chunker.Task{Kind: "receipt", Phases: []chunker.Phase{
		{Name: "receipt", Page: func(context.Context, chunker.Job, *firestore.DocumentRef, int) (chunker.Page, error) {
			return chunker.Page{Counts: map[string]int64{"n": 7}, HandOver: true}, nil
		}},
		{Name: "work", Page: func(_ context.Context, _ chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
			receipts = append(receipts, b.job("j").Counts["n"])
			return chunker.Page{}, nil
		}},
	}})
	b.enqueue(chunker.Spec{ID: "j", Kind: "receipt"})
	for range 2 {
		b.ok(b.run("j", b.plenty()))
	}
	if job := b.wantState("j", chunker.Done); job.Hop != 2 {
		t.Errorf("the job has hop %d, want 2", job.Hop)
	}
	testkit.Same(t, "the receipt, as the work finds it", []int64{7}, receipts)
}

// An event says whether a step may be due, and only then costs a read.
func TestConcerns(t *testing.T) {
	t.Parallel()
	now := time.Now()
	in := func(d time.Duration) *time.Time { at := now.Add(d); return &at }
	engine := chunker.New(nil, chunker.Options{Now: func() time.Time { return now }})
	for name, c := range map[string]struct {
		job  chunker.Job
		want bool
	}{
		"queued":                        {chunker.Job{State: chunker.Queued, WakeAt: in(0)}, true},
		"queued by a faster clock":      {chunker.Job{State: chunker.Queued, WakeAt: in(time.Second)}, true},
		"waits for its retry":           {chunker.Job{State: chunker.Queued, WakeAt: in(time.Second), Attempt: 1}, false},
		"may retry":                     {chunker.Job{State: chunker.Queued, WakeAt: in(0), Attempt: 1}, true},
		"claimed":                       {chunker.Job{State: chunker.Running, Lease: &chunker.Lease{Until: now.Add(time.Minute)}}, false},
		"claimed, and its step is dead": {chunker.Job{State: chunker.Running, Lease: &chunker.Lease{Until: now}}, true},
		"done":                          {chunker.Job{State: chunker.Done}, false},
		"failed":                        {chunker.Job{State: chunker.Failed}, false},
		"no job":                        {chunker.Job{}, true},
	} {
		if got := engine.Concerns(c.job); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

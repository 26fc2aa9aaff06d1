package chunker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/testkit"
)

// Every event comes three minutes late, and a sweep each minute finds the job
// still queued and makes another.
func TestJobsEndDespiteLateEvents(t *testing.T) {
	t.Parallel()
	const lag, budget = 3, 1 // minutes, pages
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit twice"})
	b.enqueue(chunker.Spec{ID: "l", Kind: "visit"})
	type event struct {
		id  string
		due int
	}
	var events []event
	seen := map[string]int64{}
	ids := []string{"j", "l"}
	for minute := range 120 {
		for _, id := range ids { // a write that changes the hop is an event
			if hop := b.job(id).Hop; hop > seen[id] {
				seen[id] = hop
				events = append(events, event{id, minute + lag})
			}
		}
		var left []event
		for _, e := range events {
			if e.due > minute {
				left = append(left, e)
				continue
			}
			b.ok(b.run(e.id, b.pages(budget)))
		}
		events = left
		b.sweep()
		if b.job("j").State == chunker.Done && b.job("l").State == chunker.Done {
			t.Logf("done after %d minutes", minute)
			if b.job("j").Done != 2*items || b.job("l").Done != items {
				t.Errorf("%d and %d documents done, want %d and %d", b.job("j").Done, b.job("l").Done, 2*items, items)
			}
			return
		}
		b.clock.move(time.Minute)
	}
	t.Errorf("not done after two hours: %+v, %+v", b.job("j"), b.job("l"))
}

// A job with an error that may pass is retried for a day. A failed job is not deleted.
func TestJobIsRetriedForOneDay(t *testing.T) {
	t.Parallel()
	for _, code := range []codes.Code{codes.Unavailable, codes.PermissionDenied, codes.Unauthenticated, codes.FailedPrecondition, codes.Unknown} {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.patience = 0 // the default
			b.Engine = b.engine()
			b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
			b.fail = func(string) error { return status.Error(code, "not now") }
			began := b.clock.Now()
			for b.clock.Now().Sub(began) < 24*time.Hour {
				b.ok(b.run("j", b.plenty()))
				if job := b.wantState("j", chunker.Queued); job.Attempt > 200 {
					t.Fatalf("%d attempts in %v", job.Attempt, b.clock.Now().Sub(began))
				}
				b.clock.move(11 * time.Minute)
			}
			b.ok(b.run("j", b.plenty()))
			job := b.wantState("j", chunker.Failed)
			if job.ExpireAt != nil || job.FinishedAt == nil || job.FailingSince == nil || !job.FailingSince.Equal(began) {
				t.Errorf("a failed job: %+v", job)
			}
			b.fail = func(string) error { return nil }
			if job, err := b.Retry(t.Context(), "j"); err != nil || job.FailingSince != nil {
				t.Errorf("retry: %v, %+v", err, job)
			}
			b.deliver("j")
			if job := b.wantState("j", chunker.Done); job.FailingSince != nil || job.ExpireAt == nil {
				t.Errorf("a job that is done in the end: %+v", job)
			}
		})
	}
}

// One page that fails now and then for longer than a day is no reason to give up.
func TestProgressForgivesFailures(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.patience = time.Hour
	b.Engine = b.engine()
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	for n := range 20 { // four failures within 40 minutes, then a page
		b.fail = func(string) error { return status.Error(codes.Unavailable, "not now") }
		if n%5 == 4 {
			b.fail = func(string) error { return nil }
		}
		b.ok(b.run("j", b.pages(1)))
		b.clock.move(10 * time.Minute)
	}
	if job := b.job("j"); job.State == chunker.Failed || job.Done < 3 {
		t.Errorf("job is %s with %d done", job.State, job.Done)
	}
	if b.keptFailing != 4 {
		t.Errorf("told %d times that it keeps failing, want once for each of the four streaks", b.keptFailing)
	}
}

// Sweep skips a job whose steps keep dying, until its backoff is over.
func TestSweepSkipsJobThatBacksOff(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.patience = 0
	b.Engine = b.engine()
	ended := b.clock.Now()
	if _, err := b.client.Doc("_functions/j").Set(t.Context(), map[string]any{
		"kind": "visit", "state": "running", "hop": 1, "attempt": 12, "wakeAt": ended, "lease": map[string]any{"holder": "dead", "until": ended},
	}); err != nil {
		t.Fatal(err)
	}
	b.clock.move(4 * time.Minute)
	testkit.Same(t, "after four minutes", chunker.Swept{Due: 1}, b.sweep())
	b.clock.move(time.Minute)
	testkit.Same(t, "after five minutes", chunker.Swept{Due: 1, Woken: 1}, b.sweep())
}

func TestSweepContinuesAfterUnwakeableJob(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for n := range 12 {
		b.enqueue(chunker.Spec{ID: fmt.Sprintf("p~%02d", n), Kind: "visit"})
	}
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	b.clock.move(time.Minute)
	client, err := connect(t.Context(), b.project, testkit.Failing(codes.PermissionDenied, func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		return ok && len(commit.GetWrites()) > 0 && strings.Contains(commit.GetWrites()[0].GetUpdate().GetName(), "/p~")
	}))
	b.ok(err)
	swept, err := b.engineOn(client).Sweep(t.Context(), b.plenty())
	testkit.Same(t, "swept", chunker.Swept{Due: 13, Woken: 1}, swept)
	if err == nil || strings.Count(err.Error(), "sweep: job p~") != 10 {
		t.Errorf("the error is %v, want the first ten jobs in it", err)
	}
	if job := b.wantState("j", chunker.Queued); job.Hop != 2 {
		t.Errorf("the last job: %+v", job)
	}
}

// A page may run longer than a lease. Meanwhile no other step takes over, and none counts
// it as dead.
func TestLongPageRenewsItsLease(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const lease = 6 * time.Second // a third of which a renewal may take, on any machine
	engine := chunker.New(b.client, chunker.Options{Lease: lease, Grace: time.Nanosecond})
	minute := b.realTime()
	until := func() time.Time { return b.job("j").Lease.Until }
	during := errors.New("not run")
	var swept chunker.Swept
	engine.Register(chunker.Task{Kind: "long", Phases: []chunker.Phase{{Name: "p", Page: func(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
		for first := job.Lease.Until; !until().After(first.Add(lease)); { // three renewals
			select {
			case <-ctx.Done():
				return chunker.Page{}, ctx.Err()
			case <-time.After(lease / 20):
			}
		}
		during = engine.Run(ctx, "j", minute)
		swept, _ = engine.Sweep(ctx, minute)
		return chunker.Page{Done: 1}, nil
	}}}})
	b.ok(engine.Enqueue(t.Context(), chunker.Spec{ID: "j", Kind: "long"}))
	b.ok(engine.Run(t.Context(), "j", minute))
	if job := b.wantState("j", chunker.Done); job.Done != 1 || job.Attempt != 0 || job.Hop != 1 {
		t.Errorf("the job: %+v", job)
	}
	if during != nil || swept.Woken != 0 {
		t.Errorf("meanwhile another event gets %v, and Sweep wakes %d", during, swept.Woken)
	}
}

// realTime is a budget of a minute on the wall clock.
func (b *bench) realTime() chunker.Budget {
	return chunker.NewBudget(b.t.Context(), time.Now(), time.Minute, 0, nil)
}

// A page ends when its lease is lost: the job was canceled, deleted, or taken over.
func TestPageEndsWhenItsLeaseIsLost(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	engine := chunker.New(b.client, chunker.Options{Lease: 300 * time.Millisecond})
	var ended error
	engine.Register(chunker.Task{Kind: "long", Phases: []chunker.Phase{{Name: "p", Page: func(ctx context.Context, _ chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
		if _, err := engine.Cancel(ctx, "j"); err != nil {
			return chunker.Page{}, err
		}
		<-ctx.Done()
		ended = context.Cause(ctx)
		return chunker.Page{}, ctx.Err()
	}}}})
	b.ok(engine.Enqueue(t.Context(), chunker.Spec{ID: "j", Kind: "long"}))
	testkit.NoError(t, engine.Run(t.Context(), "j", b.realTime()))
	if job := b.wantState("j", chunker.Canceled); job.Attempt != 0 || !errors.Is(ended, chunker.ErrLeaseLost) {
		t.Errorf("the page ended with %v, the job: %+v", ended, job)
	}
}

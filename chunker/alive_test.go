package chunker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
)

// Every event comes three minutes late, and a sweep each minute finds the job
// still queued and makes another.
func TestJobsEndHoweverLateTheirEventsAre(t *testing.T) {
	t.Parallel()
	const lag, budget = 3, 1 // minutes, pages
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit twice"})
	b.enqueue(laneSpec("l"))
	type event struct {
		id  string
		due int
	}
	var events []event
	seen := map[string]int64{}
	ids := []string{"j", "l~00", "l~01", "l~02"}
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
			if err := b.run(e.id, b.pages(budget)); err != nil {
				t.Fatal(err)
			}
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

// What may pass is tried again for a day; nothing forgets a job that has failed.
func TestAJobIsTriedForADay(t *testing.T) {
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
				if err := b.run("j", b.plenty()); err != nil {
					t.Fatal(err)
				}
				if job := b.wantState("j", chunker.Queued); job.Attempt > 200 {
					t.Fatalf("%d attempts in %v", job.Attempt, b.clock.Now().Sub(began))
				}
				b.clock.move(11 * time.Minute)
			}
			if err := b.run("j", b.plenty()); err != nil {
				t.Fatal(err)
			}
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
		if err := b.run("j", b.pages(1)); err != nil {
			t.Fatal(err)
		}
		b.clock.move(10 * time.Minute)
	}
	if job := b.job("j"); job.State == chunker.Failed || job.Done < 3 {
		t.Errorf("job is %s with %d done", job.State, job.Done)
	}
	if b.keptFailing != 4 {
		t.Errorf("told %d times that it keeps failing, want once for each of the four streaks", b.keptFailing)
	}
}

// Sweep leaves a job alone whose steps keep dying, until it has rested.
func TestSweepLetsAJobRest(t *testing.T) {
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
	if diff := cmp.Diff(chunker.Swept{Due: 1}, b.sweep()); diff != "" {
		t.Errorf("after four minutes (-want +got):\n%s", diff)
	}
	b.clock.move(time.Minute)
	if diff := cmp.Diff(chunker.Swept{Due: 1, Woken: 1}, b.sweep()); diff != "" {
		t.Errorf("after five minutes (-want +got):\n%s", diff)
	}
}

func TestSweepGoesOnAfterAJobThatItCannotWake(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	due := b.clock.Now()
	documents := map[string]map[string]any{
		// No release can have made this: the parent is of a newer one, its lanes are not.
		"p": {"kind": "visit", "state": "running", "lanes": 12, "lanesOpen": 12, "schema": chunker.Schema + 1},
	}
	for n := range 12 {
		documents[fmt.Sprintf("p~%02d", n)] = map[string]any{"kind": "visit", "state": "queued", "hop": 1, "wakeAt": due.Add(-time.Hour), "lane": map[string]any{"parent": "p"}}
	}
	for id, fields := range documents {
		if _, err := b.client.Doc("_functions/"+id).Set(t.Context(), fields); err != nil {
			t.Fatal(err)
		}
	}
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	b.clock.move(time.Minute)
	swept, err := b.Sweep(t.Context(), b.plenty())
	if diff := cmp.Diff(chunker.Swept{Due: 13, Woken: 1}, swept); diff != "" {
		t.Errorf("swept (-want +got):\n%s", diff)
	}
	if err == nil || !errors.Is(err, chunker.ErrNewer) || strings.Count(err.Error(), "sweep: job p~") != 10 {
		t.Errorf("the error is %v, want the first ten jobs in it", err)
	}
	if job := b.wantState("j", chunker.Queued); job.Hop != 2 {
		t.Errorf("the last job: %+v", job)
	}
}

// A page may take longer than a lease: while it runs nobody takes its step over,
// and nobody counts it as dead.
func TestALongPageKeepsItsLease(t *testing.T) {
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
	if err := engine.Enqueue(t.Context(), chunker.Spec{ID: "j", Kind: "long"}); err != nil {
		t.Fatal(err)
	}
	if err := engine.Run(t.Context(), "j", minute); err != nil {
		t.Fatal(err)
	}
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

// A page whose lease is lost ends: the job was canceled, deleted, or taken over.
func TestALongPageEndsWhenItsLeaseIsLost(t *testing.T) {
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
	if err := engine.Enqueue(t.Context(), chunker.Spec{ID: "j", Kind: "long"}); err != nil {
		t.Fatal(err)
	}
	if err := engine.Run(t.Context(), "j", b.realTime()); err != nil {
		t.Error(err)
	}
	if job := b.wantState("j", chunker.Canceled); job.Attempt != 0 || !errors.Is(ended, chunker.ErrLeaseLost) {
		t.Errorf("the page ended with %v, the job: %+v", ended, job)
	}
}

func TestALaneWithoutAProperParentEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		id     string
		parent map[string]any
	}{
		"deleted":                    {"p", nil},
		"damaged":                    {"p", map[string]any{"kind": "visit", "state": 7, "lanes": 30, "lanesOpen": 30}},
		"damaged in what lanes add":  {"p", map[string]any{"kind": "visit", "state": "running", "done": "many", "lanes": 30, "lanesOpen": 30}},
		"a job without lanes":        {"p", map[string]any{"kind": "visit", "state": "queued", "done": 3, "hop": 1}},
		"one with fewer lanes":       {"p", map[string]any{"kind": "visit", "state": "running", "done": 3, "lanes": 2, "lanesOpen": 2}},
		"no id":                      {"", nil},
		"an id with a slash":         {"a/b", nil},
		"a dot":                      {".", nil},
		"an id that is not for us":   {"__p__", nil},
		"an id that is far too long": {strings.Repeat("p", 2000), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if c.parent != nil {
				if _, err := b.client.Doc("_functions/p").Set(t.Context(), c.parent); err != nil {
					t.Fatal(err)
				}
			}
			const lane, other = "p~07", "p~08"
			for _, id := range []string{lane, other} {
				fields := map[string]any{"kind": "visit", "state": "queued", "wakeAt": b.clock.Now().Add(-time.Hour), "lane": map[string]any{"parent": c.id, "from": "i2"}}
				if _, err := b.client.Doc("_functions/"+id).Set(t.Context(), fields); err != nil {
					t.Fatal(err)
				}
			}
			if swept := b.sweep(); swept.Woken != 2 {
				t.Errorf("swept %+v, want two woken", swept)
			}
			b.deliver(lane)
			if job := b.wantState(lane, chunker.Done); job.Done != items-2 {
				t.Errorf("the lane: %+v", job)
			}
			if job, err := b.Cancel(t.Context(), other); err != nil || job.State != chunker.Canceled {
				t.Errorf("cancel: %v, %+v", err, job)
			}
			if c.parent != nil {
				doc, err := b.client.Doc("_functions/p").Get(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for field, was := range c.parent {
					if n, ok := was.(int); ok {
						was = int64(n)
					}
					if now := doc.Data()[field]; now != was {
						t.Errorf("%s of what is no parent was %v and is %v", field, was, now)
					}
				}
			}
		})
	}
}

// A lane that is no job any more, or gone, cannot report: a new generation starts
// all of them over, and a person can cancel the parent.
func TestAParentOfADamagedLaneIsNotOpenForEver(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*bench, *firestore.DocumentRef) error{
		"damaged": func(b *bench, lane *firestore.DocumentRef) error {
			_, err := lane.Update(b.t.Context(), []firestore.Update{{Path: "lastDoc", Value: 7}})
			return err
		},
		"no lane": func(b *bench, lane *firestore.DocumentRef) error {
			_, err := lane.Update(b.t.Context(), []firestore.Update{{Path: "lane", Value: nil}})
			return err
		},
		"gone": func(b *bench, lane *firestore.DocumentRef) error {
			_, err := lane.Delete(b.t.Context())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.enqueue(laneSpec("j"))
			if err := damage(b, b.client.Doc("_functions/j~01")); err != nil {
				t.Fatal(err)
			}
			for _, lane := range []string{"j~00", "j~02"} {
				if err := b.run(lane, b.plenty()); err != nil {
					t.Fatal(err)
				}
			}
			b.wantState("j", chunker.Running)
			if job, err := b.Cancel(t.Context(), "j"); err != nil || job.State != chunker.Canceled {
				t.Errorf("cancel: %v, %+v", err, job)
			}

			again := laneSpec("j")
			again.Generation = "2"
			b.enqueue(again)
			if err := damage(b, b.client.Doc("_functions/j~01")); err != nil {
				t.Fatal(err)
			}
			again.Generation, again.Splits = "3", []string{"i5"}
			b.enqueue(again)
			b.visited = nil
			for n := range 2 {
				b.deliver(fmt.Sprintf("j~%02d", n))
			}
			if job := b.wantState("j", chunker.Done); job.Done != items || len(b.visited) != items {
				t.Errorf("%d visits, the parent: %+v", len(b.visited), job)
			}
			if doc, err := b.client.Doc("_functions/j~02").Get(t.Context()); status.Code(err) != codes.NotFound {
				t.Errorf("a lane that is not needed any more: %v, %v", doc.Data(), err)
			}
		})
	}
}

// A lane that is damaged is one that its parent does not wait for: it fails, and
// goes on when the lane is mended.
func TestAParentFailsWithADamagedLaneAndGoesOnWithAMendedOne(t *testing.T) {
	t.Parallel()
	for _, found := range []string{"by its event", "by Sweep"} {
		t.Run(found, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.enqueue(laneSpec("j"))
			lane := b.client.Doc("_functions/j~01")
			write := func(value any) {
				if _, err := lane.Update(t.Context(), []firestore.Update{{Path: "lastDoc", Value: value}}); err != nil {
					t.Fatal(err)
				}
			}
			write(7)
			for n, id := range []string{"j~00", "j~01", "j~02"} {
				if err := b.run1(id, n == 1 && found == "by Sweep"); err != nil {
					t.Fatal(err)
				}
			}
			job := b.wantState("j", chunker.Failed)
			if job.LanesOpen != 0 || job.Done != 6 || job.Error == nil || !strings.Contains(job.Error.Message, "j~01") || job.ExpireAt != nil {
				t.Errorf("the parent: %+v", job)
			}
			write(nil)
			if job, err := b.Retry(t.Context(), "j"); err != nil || job.LanesOpen != 1 {
				t.Fatalf("retry: %v, %+v", err, job)
			}
			b.deliver("j~01")
			if job := b.wantState("j", chunker.Done); job.Done != items {
				t.Errorf("the parent: %+v", job)
			}
		})
	}
}

// run1 has a job run by its event, or found by Sweep.
func (b *bench) run1(id string, bySweep bool) error {
	if !bySweep {
		return b.run(id, b.plenty())
	}
	b.clock.move(time.Minute)
	_, err := b.Sweep(b.t.Context(), b.plenty())
	return err
}

// What lanes have left of a parent that has ended, when they have expired, is not for
// Cancel or Retry to change.
func TestAParentThatHasEndedStaysAsItIs(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]error{"done": nil, "failed": chunker.Permanent(errors.New("bad"))} {
		for _, gone := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s, %d lanes gone", name, gone), func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				b.enqueue(laneSpec("j"))
				b.fail = func(item string) error {
					if item == "i8" {
						return fail
					}
					return nil
				}
				b.runLanes()
				for n := range gone {
					if _, err := b.client.Doc(fmt.Sprintf("_functions/j~%02d", n)).Delete(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				was := b.job("j")
				if _, err := b.Cancel(t.Context(), "j"); !errors.Is(err, chunker.ErrFinished) {
					t.Errorf("cancel: %v, want ErrFinished", err)
				}
				if fail == nil || gone == 3 {
					if _, err := b.Retry(t.Context(), "j"); !errors.Is(err, chunker.ErrFinished) {
						t.Errorf("retry: %v, want ErrFinished", err)
					}
				}
				if diff := cmp.Diff(was, b.job("j")); diff != "" {
					t.Errorf("the parent (-was +is):\n%s", diff)
				}
			})
		}
	}
}

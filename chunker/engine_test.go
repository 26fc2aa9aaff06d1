package chunker_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/testkit"
)

func all(times int) (out []string) {
	for range times {
		for i := range items {
			out = append(out, fmt.Sprintf("i%d", i))
		}
	}
	return out
}

func TestStepRunsAllPages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit", EventID: "e1"})
	b.ok(b.run("j", b.plenty()))
	job := b.wantState("j", chunker.Done)
	testkit.Same(t, "visited", all(1), b.visited)
	if job.Done != items || job.Hop != 1 || job.Lease != nil || job.WakeAt != nil || job.FinishedAt == nil || job.EventID != "e1" {
		t.Errorf("job at its end: %+v", job)
	}
	if want := b.clock.Now().Add(7 * 24 * time.Hour); job.ExpireAt == nil || !job.ExpireAt.Equal(want) {
		t.Errorf("expireAt is %v, want %v", job.ExpireAt, want)
	}
	if err := b.run("j", b.plenty()); err != nil || len(b.visited) != items {
		t.Errorf("an event after the end: %v, %d visits", err, len(b.visited))
	}
}

func TestStepHandsOverWhenBudgetIsSpent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit twice"})
	var hops []string
	for b.job("j").State != chunker.Done {
		b.ok(b.run("j", b.pages(2)))
		job := b.job("j")
		last := ""
		if job.LastDoc != nil {
			last = job.LastDoc.ID
		}
		hops = append(hops, fmt.Sprintf("%s phase %d after %q, %d done", job.State, job.Phase, last, job.Done))
	}
	want := []string{
		`queued phase 0 after "i5", 6 done`,
		`queued phase 1 after "", 10 done`,
		`queued phase 1 after "i5", 16 done`,
		`done phase 2 after "", 20 done`,
	}
	testkit.Same(t, "hops", want, hops)
	testkit.Same(t, "visited", all(2), b.visited)
}

func TestSecondEventDuringStepDoesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	during := errors.New("not run")
	b.fail = func(item string) error {
		if item == "i4" {
			during = b.run("j", b.plenty())
		}
		return nil
	}
	b.ok(b.run("j", b.plenty()))
	if during != nil {
		t.Errorf("a second event of the hop that runs gets %v, want nil: it is not needed", during)
	}
	if len(b.visited) != items {
		t.Errorf("%d visits, want %d", len(b.visited), items)
	}
}

// A step that dies leaves its lease. When that has run out, the next event repeats its
// pages; the dead step, should it come back, can write nothing.
func TestDeadStepIsTakenOver(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	var takeover error
	b.fail = func(item string) error {
		if item == "i4" && takeover == nil {
			if err := b.run("j", b.plenty()); err != nil {
				t.Errorf("before the lease has run out: %v", err)
			}
			b.clock.move(time.Minute)
			takeover = errors.New("under way")
			b.mu.Unlock()
			takeover = b.engine().Run(t.Context(), "j", b.plenty())
			b.mu.Lock()
		}
		return nil
	}
	if err := b.run("j", b.plenty()); err != nil {
		t.Errorf("the step that lost its lease gets %v, want nil: another does its work", err)
	}
	if takeover != nil {
		t.Errorf("the step that took over gets %v", takeover)
	}
	job := b.wantState("j", chunker.Done)
	if job.Done != items {
		t.Errorf("%d documents done, want %d: the dead step must not count", job.Done, items)
	}
	if want := slices.Concat(all(1)[:5], all(1), all(1)[5:6]); !cmp.Equal(want, b.visited) {
		t.Errorf("visited %v, want %v: the pages of the dead step again", b.visited, want)
	}
}

func TestAlwaysDyingStepEventuallyFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	steps := 0
	for range 10 {
		ctx, die := context.WithCancel(t.Context())
		b.fail = func(string) error {
			steps++
			// As after a kill: the step's own writes are never made.
			b.steal(ctx, "j")
			die()
			return ctx.Err()
		}
		_ = b.Run(ctx, "j", b.plenty())
		b.clock.move(2 * time.Minute)
	}
	job := b.wantState("j", chunker.Failed)
	if steps != 4 || job.Error == nil || !strings.Contains(job.Error.Message, "without progress") {
		t.Errorf("failed after %d steps with %+v, want 4 steps and a reason", steps, job.Error)
	}
}

// steal gives the lease to a holder that will never come back.
func (b *bench) steal(ctx context.Context, id string) {
	b.t.Helper()
	_, err := b.client.Doc("_functions/"+id).Update(ctx, []firestore.Update{{Path: "lease.holder", Value: "dead"}})
	if err != nil {
		b.t.Fatal(err)
	}
}

func TestFailedPageIsRetriedLater(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	unavailable := status.Error(codes.Unavailable, "try again")
	b.fail = func(item string) error {
		if item == "i4" {
			return unavailable
		}
		return nil
	}
	if err := b.run("j", b.plenty()); err != nil {
		t.Fatalf("got %v, want nil: the write that says so has an event of its own", err)
	}
	job := b.wantState("j", chunker.Queued)
	if job.Attempt != 1 || job.LastDoc.ID != "i2" || job.Error == nil || job.Error.Code != "Unavailable" || !strings.Contains(job.Error.Message, "try again") {
		t.Errorf("job after a failure: %+v, error %+v", job, job.Error)
	}
	visits := len(b.visited)
	if err := b.run("j", b.plenty()); err != nil || len(b.visited) != visits {
		t.Errorf("before its retry time: %v after %d visits, want neither", err, len(b.visited)-visits)
	}
	b.fail = func(string) error { return nil }
	b.clock.move(time.Second)
	b.ok(b.run("j", b.plenty()))
	if job := b.wantState("j", chunker.Done); job.Attempt != 0 || job.Error != nil || job.Done != items {
		t.Errorf("job at its end: %+v", job)
	}
}

// A new generation may remove the cause of a failure. It does not wait for the retry time:
// it runs at once, also if the step was still running.
func TestNewGenerationSkipsRetryWait(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		while bool // its step runs
	}{
		"after the step":  {},
		"during the step": {while: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			spec := chunker.Spec{ID: "j", Kind: "visit", Generation: "1"}
			b.enqueue(spec)
			b.fail = func(item string) error {
				if item != "i4" {
					return nil
				}
				if c.while {
					spec.Generation = "2"
					b.enqueue(spec)
				}
				return errors.New("no")
			}
			b.ok(b.run("j", b.plenty()))
			hop := b.wantState("j", chunker.Queued).Hop
			if !c.while {
				spec.Generation = "2"
				b.enqueue(spec)
				if job := b.job("j"); job.Hop != hop+1 || job.Attempt != 1 {
					t.Errorf("a new generation while the job waits: %+v, want an event of hop %d", job, hop+1)
				}
				b.enqueue(spec)
				if job := b.job("j"); job.Hop != hop+1 {
					t.Errorf("the same generation again makes it hop %d", job.Hop)
				}
			}
			b.fail = func(string) error { return nil }
			for range 2 { // the rest of that run, and the next
				b.ok(b.run("j", b.plenty()))
			}
			if job := b.wantState("j", chunker.Done); job.RunGeneration != "2" {
				t.Errorf("the job ends with generation %q", job.RunGeneration)
			}
		})
	}
}

func TestAlwaysFailingPageRunsMaxAttemptsTimes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	runs := 0
	b.fail = func(item string) error {
		if item == "i0" {
			runs++
		}
		return errors.New("no")
	}
	for range 20 {
		_ = b.run("j", b.plenty())
		b.clock.move(time.Hour)
	}
	if job := b.wantState("j", chunker.Failed); runs != 4 || job.Attempt != 4 {
		t.Errorf("%d runs, attempt %d, want 4", runs, job.Attempt)
	}
}

func TestPermanentErrorsEndJobAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   string
		fail   func(string) error
		reason string
	}{
		"a permanent error":  {"visit", func(string) error { return chunker.Permanent(errors.New("bad document")) }, "bad document"},
		"a refused request":  {"visit", func(string) error { return status.Error(codes.InvalidArgument, "too big") }, "too big"},
		"a task that panics": {"visit", nil, "panicked: oh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if c.fail != nil {
				b.fail = c.fail
			}
			if strings.Contains(name, "panics") {
				b.Register(chunker.Task{Kind: "panic", Phases: []chunker.Phase{{Page: func(context.Context, chunker.Job, *firestore.DocumentRef, int) (chunker.Page, error) { panic("oh") }}}})
				c.kind = "panic"
			}
			b.enqueue(chunker.Spec{ID: "j", Kind: c.kind})
			if err := b.run("j", b.plenty()); err != nil {
				t.Errorf("got %v, want nil: a retry cannot help", err)
			}
			if job := b.wantState("j", chunker.Failed); !strings.Contains(job.Error.Message, c.reason) {
				t.Errorf("the job says %q, want %q in it", job.Error.Message, c.reason)
			}
		})
	}
}

func TestEnqueue(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := chunker.Spec{ID: "j", Kind: "visit", Generation: "1", Args: map[string]string{"a": "b"}}
	b.enqueue(spec)
	job := b.wantState("j", chunker.Queued)
	if job.Hop != 1 || job.Args["a"] != "b" || job.Chunk != 3 {
		t.Errorf("new job: %+v", job)
	}
	updated := job.UpdatedAt
	b.clock.move(time.Second)

	b.enqueue(spec)
	if job := b.job("j"); !job.UpdatedAt.Equal(updated) {
		t.Error("the same generation was written again")
	}

	b.fail = func(item string) error {
		if item == "i4" && b.job("j").Generation == "1" {
			spec.Generation = "2"
			b.enqueue(spec)
		}
		return nil
	}
	b.ok(b.run("j", b.plenty()))
	if job := b.wantState("j", chunker.Queued); job.RunGeneration != "2" || job.Done != 0 || job.LastDoc != nil || job.Hop != 2 {
		t.Errorf("a job whose target changed while it ran is %+v, want it to run again", job)
	}
	b.ok(b.run("j", b.plenty()))
	b.wantState("j", chunker.Done)
	testkit.Same(t, "visited", all(2), b.visited)

	b.enqueue(spec)
	b.wantState("j", chunker.Done)
	spec.Generation = "3"
	b.enqueue(spec)
	if job := b.wantState("j", chunker.Queued); job.Hop != 3 || job.FinishedAt != nil || job.ExpireAt != nil {
		t.Errorf("a finished job whose target changed: %+v", job)
	}
}

func TestUnfinished(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	names := func() string {
		jobs, err := b.Unfinished(t.Context(), 10)
		b.ok(err)
		var out []string
		for _, j := range jobs {
			out = append(out, j.ID)
		}
		return strings.Join(out, " ")
	}
	if got := names(); got != "" {
		t.Errorf("unfinished: %q, want none", got)
	}
	b.enqueue(chunker.Spec{ID: "a", Kind: "visit"})
	b.enqueue(chunker.Spec{ID: "b", Kind: "visit"})
	b.fail = func(string) error {
		if got := names(); got != "a b" {
			t.Errorf("unfinished while a runs: %q, want both", got)
		}
		return nil
	}
	b.ok(b.run("a", b.plenty()))
	b.fail = func(string) error { return nil }
	if got := names(); got != "b" {
		t.Errorf("unfinished: %q, want b", got)
	}
}

func TestJobDocumentIsDeletedWithItsTarget(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	gone := true
	b.Register(chunker.Task{Kind: "target", Phases: []chunker.Phase{{
		Name: "look", Page: func(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
			if job.RunGeneration == "old" { // and is made again while this page runs
				return chunker.Page{Gone: true}, b.Enqueue(ctx, chunker.Spec{ID: "again", Kind: "target", Generation: "new"})
			}
			return chunker.Page{Gone: gone}, nil
		},
	}}})
	b.enqueue(chunker.Spec{ID: "gone", Kind: "target"})
	b.ok(b.run("gone", b.plenty()))
	if _, err := b.Get(t.Context(), "gone"); !errors.Is(err, chunker.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}

	gone = false
	b.enqueue(chunker.Spec{ID: "again", Kind: "target", Generation: "old"})
	b.ok(b.run("again", b.plenty()))
	b.wantState("again", chunker.Queued)
	b.ok(b.run("again", b.plenty()))
	b.wantState("again", chunker.Done)
}

func TestRunOfDeletedJobDoesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := b.run("none", b.plenty()); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

func TestPrivateJobErasesItsSubject(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit", Private: true, Value: "ada", Args: map[string]string{"user": "ada"}})
	b.fail = func(string) error { return errors.New("no") }
	b.ok(b.run("j", b.plenty()))
	if job := b.wantState("j", chunker.Queued); job.Args["user"] != "ada" {
		t.Errorf("before its end: %+v", job)
	}
	b.fail = func(string) error { return nil }
	b.clock.move(time.Minute)
	b.deliver("j")
	if job := b.wantState("j", chunker.Done); job.Args != nil || job.Value != nil {
		t.Errorf("at its end: %+v", job)
	}
}

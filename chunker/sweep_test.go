package chunker_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

func (b *bench) sweep() chunker.Swept {
	b.t.Helper()
	swept, err := b.Sweep(b.t.Context(), b.plenty())
	if err != nil {
		b.t.Fatal(err)
	}
	return swept
}

func TestSweepWakesJobAfterLostEvent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	testkit.Same(t, "a job whose event is on its way", chunker.Swept{}, b.sweep())
	b.clock.move(time.Minute)
	testkit.Same(t, "a job whose event was lost", chunker.Swept{Due: 1, Woken: 1}, b.sweep())
	if job := b.wantState("j", chunker.Queued); job.Hop != 2 || job.Attempt != 0 {
		t.Errorf("woken: %+v", job)
	}
	if got := b.sweep(); got.Due != 0 {
		t.Errorf("a second sweep at once finds %+v", got)
	}
	b.ok(b.run("j", b.plenty()))
	b.wantState("j", chunker.Done)
	b.clock.move(time.Hour)
	if got := b.sweep(); got.Due != 0 {
		t.Errorf("a sweep of a finished job finds %+v", got)
	}
}

func TestSweepTakesOverADeadStepAndCountsIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	var got []string
	for range 5 {
		b.fail = func(string) error { // the step dies: none of its writes comes
			b.steal(t.Context(), "j")
			return errors.New("killed")
		}
		_ = b.run("j", b.plenty())
		b.clock.move(2 * time.Minute)
		got = append(got, fmt.Sprintf("%+v attempt %d", b.sweep(), b.job("j").Attempt))
	}
	want := []string{
		"{Due:1 Woken:1 Failed:0 Newer:0} attempt 1",
		"{Due:1 Woken:1 Failed:0 Newer:0} attempt 2",
		"{Due:1 Woken:1 Failed:0 Newer:0} attempt 3",
		"{Due:1 Woken:0 Failed:1 Newer:0} attempt 4",
		"{Due:0 Woken:0 Failed:0 Newer:0} attempt 4",
	}
	testkit.Same(t, "sweeps", want, got)
	b.wantState("j", chunker.Failed)
}

// Jobs that wait for their events, for their turn, or for a rest to end cost a sweep
// the read of its list, however many they are and however old.
func TestSweepOpensNoTransactionForJobsBackingOff(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const resting = 5 // of each kind
	ended := b.clock.Now()
	documents := map[string]map[string]any{}
	for n := range resting {
		documents[fmt.Sprintf("_functions/waits%d", n)] = map[string]any{"kind": "visit", "state": "queued", "hop": 9, "sweeps": 9, "wakeAt": ended}
		documents[fmt.Sprintf("_functions/dies%d", n)] = map[string]any{
			"kind": "visit", "state": "running", "hop": 9, "attempt": 12, "wakeAt": ended, "lease": map[string]any{"holder": "dead", "until": ended},
		}
		documents[fmt.Sprintf("_functions/newer%d", n)] = map[string]any{"kind": "visit", "state": "queued", "schema": chunker.Schema + 1, "wakeAt": ended}
	}
	testkit.Write(t, b.client, documents)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	b.clock.move(time.Minute)
	meter := &wire.Meter{}
	client, err := connect(t.Context(), b.project, meter.Interceptor())
	b.ok(err)
	swept, err := b.engineOn(client).Sweep(t.Context(), b.plenty())
	b.ok(err)
	testkit.Same(t, "swept", chunker.Swept{Due: 3*resting + 1, Woken: 1, Newer: resting}, swept)
	// The list, and the transaction of the job that is woken.
	if used := meter.Counts(); used.Reads != 3*resting+1+1 || used.Writes != 1 || used.Requests != 4 {
		t.Errorf("it costs %d reads and %d writes in %d requests, want %d and 1 in 4", used.Reads, used.Writes, used.Requests, 3*resting+1+1)
	}
	b.clock.move(5 * time.Minute)
	if got := b.sweep(); got.Woken != 2*resting+1 {
		t.Errorf("when they have rested: %+v", got)
	}
}

func TestSweepGoesThroughAllPages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const jobs = 230
	for n := range jobs {
		b.enqueue(chunker.Spec{ID: fmt.Sprintf("j%03d", n), Kind: "visit"})
	}
	b.clock.move(time.Minute)
	spent := chunker.NewBudget(t.Context(), b.clock.Now(), 0, 0, b.clock.Now)
	if got, err := b.Sweep(t.Context(), spent); err != nil || got.Due != 0 {
		t.Errorf("without time: %+v, %v", got, err)
	}
	testkit.Same(t, "swept", chunker.Swept{Due: jobs, Woken: jobs}, b.sweep())
	if got := b.sweep(); got.Due != 0 {
		t.Errorf("a second sweep at once finds %+v", got)
	}
}

// A long line of one owner's jobs, older than all others, delays no job that only Sweep starts. A call reads
// a bounded part of the line, and the next call continues, on any instance. A call that was slow or lost
// repeats a part.
func TestSweepReadsALongLineInParts(t *testing.T) {
	t.Parallel()
	readsALine(t, 1_500, 1_500/500+2)
}

// readsALine calls Sweep until it has read the line and found what is behind it, at most calls times.
func readsALine(t *testing.T, line, calls int) {
	t.Helper()
	b := newBench(t)
	engine := b.of(6, func(chunker.Job) {}, "purge", "count", "later", "brake")
	const mostReads = 1_000
	documents := map[string]map[string]any{}
	for n := range line {
		at := b.clock.Now().Add(time.Duration(n-line) * time.Second)
		documents[fmt.Sprintf("_functions/purge:%04d", n)] = map[string]any{"kind": "purge", "owner": "purges", "state": "queued", "hop": 1, "schema": chunker.Schema, "wakeAt": at, "updatedAt": at}
	}
	documents["_functions/brake"] = map[string]any{"kind": "brake", "state": "queued", "hop": 1, "waits": true, "wakeAt": nil}
	testkit.Write(t, b.client, documents)
	enqueue := func(s chunker.Spec) {
		t.Helper()
		b.ok(engine.Enqueue(t.Context(), s))
	}
	enqueue(chunker.Spec{ID: "large count", Kind: "count", Owner: "ann", At: b.clock.Now().Add(time.Minute)})
	enqueue(chunker.Spec{ID: "over its hour", Kind: "later", Owner: "bob", At: b.clock.Now().Add(time.Minute)})
	b.enqueue(chunker.Spec{ID: "failed page", Kind: "visit"})
	b.fail = func(string) error { return errors.New("try again") }
	_ = b.run("failed page", b.plenty())
	b.enqueue(chunker.Spec{ID: "dead step", Kind: "visit"})
	b.fail = func(string) error { // the step dies: none of its writes comes
		b.steal(t.Context(), "dead step")
		return errors.New("killed")
	}
	_ = b.run("dead step", b.plenty())
	enqueue(chunker.Spec{ID: "lost event", Kind: "count"})
	b.clock.move(5 * time.Minute)

	meter := &wire.Meter{}
	client, err := connect(t.Context(), b.project, meter.Interceptor())
	b.ok(err)
	started := func() (ids []string) {
		for _, id := range []string{"brake", "dead step", "failed page", "large count", "over its hour", "lost event"} {
			if job := b.job(id); job.State == chunker.Queued && job.Hop > 1 && job.WakeAt != nil && !job.WakeAt.Before(b.clock.Now().Add(-5*time.Minute)) {
				ids = append(ids, id)
			}
		}
		return ids
	}
	all := []string{"brake", "dead step", "failed page", "large count", "over its hour"}
	for call := 1; ; call++ {
		place, err := b.client.Doc("_settings/sweep").Get(t.Context())
		if call > 1 && err != nil {
			t.Fatal(err)
		}
		before := meter.Counts()
		metered := chunker.New(client, chunker.Options{Turns: 6, Now: b.clock.Now}) // of another instance each time
		metered.ReleaseBy(func() bool { return true })
		if _, err := metered.Sweep(t.Context(), b.plenty()); err != nil {
			t.Fatal(err)
		}
		used := meter.Counts().Minus(before)
		t.Logf("call %d: %d reads, started %q", call, used.Reads, started())
		if used.Reads > mostReads {
			t.Errorf("call %d reads %d documents, want at most %d", call, used.Reads, mostReads)
		}
		if diff := cmp.Diff(all, started()); call == 1 && diff != "" {
			t.Errorf("started by the first call (-want +got):\n%s", diff)
		}
		if len(started()) > len(all) {
			break
		}
		if call == 3 { // the write of a slower call
			testkit.Write(t, b.client, map[string]map[string]any{"_settings/sweep": place.Data()})
		}
		if call == calls {
			if calls > line/500 {
				t.Error("Sweep does not find the job whose event was lost")
			}
			break
		}
	}
}

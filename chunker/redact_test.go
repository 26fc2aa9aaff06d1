package chunker_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// A queued job with a failed attempt may be canceled, and keeps the error of that attempt.
// A purge removes the account's name from the error.
func TestRedactRemovesNamesFromJobsInEveryState(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	text := map[string]string{"names": "posts/p of ada cannot be read", "does not": "posts/p of bob cannot be read"}
	states := []chunker.State{chunker.Queued, chunker.Running, chunker.Failed, chunker.Canceled}
	for _, state := range states {
		for which := range text {
			id := string(state) + " " + which
			b.fail = func(string) error { return errors.New(text[which]) }
			b.enqueue(chunker.Spec{ID: id, Kind: "visit"})
			if err := b.run(id, b.plenty()); err != nil { // it is queued to try again
				t.Fatal(err)
			}
			switch state {
			case chunker.Queued, chunker.Done:
			case chunker.Canceled:
				if _, err := b.Cancel(t.Context(), id); err != nil {
					t.Fatal(err)
				}
			case chunker.Failed:
				for b.job(id).State != chunker.Failed {
					b.clock.move(time.Minute)
					b.ok(b.run(id, b.plenty()))
				}
			case chunker.Running: // its step dies
				b.clock.move(time.Minute)
				b.fail = func(string) error { b.steal(t.Context(), id); return errors.New("killed") }
				_ = b.run(id, b.plenty())
			}
			b.wantState(id, state)
		}
	}
	b.ok(b.Redact(t.Context(), "ada", func(message string) bool { return strings.Contains(message, "ada") }))
	for _, state := range states {
		for which, want := range text {
			job := b.job(string(state) + " " + which)
			if named := strings.Contains(job.Error.Message, want); named == (which == "names") || job.State != state || job.Error.Code == "" {
				t.Errorf("job %q is %s, with the error %+v", string(state)+" "+which, job.State, job.Error)
			}
		}
	}
	b.clock.move(time.Hour)
	b.fail = func(string) error { return nil }
	for _, state := range states[:2] {
		b.deliver(string(state) + " names")
		if job := b.wantState(string(state)+" names", chunker.Done); job.Done != items {
			t.Errorf("the job that was %s did %d items", state, job.Done)
		}
	}
}

// When many accounts are deleted at once, and many jobs have failed, each purge reads the jobs alone whose
// errors may name its account.
func TestCostOfRedact(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	b.fail = func(string) error { return errors.New("posts/p of bob cannot be read") }
	b.ok(b.run("j", b.plenty()))
	snap, err := b.client.Doc("_functions/j").Get(t.Context())
	b.ok(err)
	documents := map[string]map[string]any{}
	for n := range 300 {
		documents[fmt.Sprintf("_functions/j%03d", n)] = snap.Data()
	}
	testkit.Write(t, b.client, documents)
	b.fail = func(string) error { return errors.New("posts/p of ada.b cannot be read") }
	b.enqueue(chunker.Spec{ID: "of ada.b", Kind: "visit"})
	b.ok(b.run("of ada.b", b.plenty()))
	meter := &wire.Meter{}
	client, err := connect(t.Context(), b.project, meter.Interceptor())
	b.ok(err)
	for _, want := range []struct{ reads, writes int64 }{{2, 1}, {1, 0}} {
		before := meter.Counts()
		b.ok(b.engineOn(client).Redact(t.Context(), "ada.b", func(text string) bool { return strings.Contains(text, "ada.b") }))
		if used := meter.Counts().Minus(before); used.Reads != want.reads || used.Writes != want.writes {
			t.Errorf("with 301 other jobs that fail, it costs %v, want %d reads and %d writes", used, want.reads, want.writes)
		}
	}
}

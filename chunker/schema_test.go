package chunker_test

import (
	"errors"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/testkit"
)

// next is an engine of the next release.
func (b *bench) next() *chunker.Engine {
	e := b.engine()
	e.SetSchema(chunker.Schema + 1)
	return e
}

// A release leaves the jobs of a newer one as they are, whatever they look like.
func TestJobOfNewerReleaseIsUnchanged(t *testing.T) {
	t.Parallel()
	past := time.Now().Add(-time.Hour)
	for name, fields := range map[string]map[string]any{
		"queued":                 {"kind": "visit", "state": "queued", "wakeAt": past},
		"its step has died":      {"kind": "visit", "state": "running", "wakeAt": past, "lease": map[string]any{"holder": "x", "until": past}, "attempt": 3},
		"of an unknown kind":     {"kind": "later", "state": "queued", "wakeAt": past},
		"in a state of its own":  {"kind": "visit", "state": "paused", "wakeAt": past},
		"with fields of its own": {"kind": "visit", "state": "queued", "wakeAt": past, "lastDoc": map[string]any{"name": "items/i3"}, "args": []any{1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			fields["schema"], fields["generation"], fields["hop"] = chunker.Schema+1, "g1", 7
			ref := b.client.Doc("_functions/j")
			written, err := ref.Set(t.Context(), fields)
			b.ok(err)
			if err := b.run("j", b.plenty()); !errors.Is(err, chunker.ErrNewer) {
				t.Errorf("an event is answered with %v, want ErrNewer", err)
			}
			b.clock.move(24 * time.Hour)
			testkit.Same(t, "sweep", chunker.Swept{Due: 1, Newer: 1}, b.sweep())
			_, canceled := b.Cancel(t.Context(), "j")
			_, retried := b.Retry(t.Context(), "j")
			for what, err := range map[string]error{
				"cancel": canceled, "retry": retried,
				"another generation": b.Enqueue(t.Context(), chunker.Spec{ID: "j", Kind: "visit", Generation: "g2"}),
			} {
				if !errors.Is(err, chunker.ErrNewer) {
					t.Errorf("%s: %v, want ErrNewer", what, err)
				}
			}
			if err := b.Enqueue(t.Context(), chunker.Spec{ID: "j", Kind: "visit", Generation: "g1"}); err != nil {
				t.Errorf("the generation that it covers: %v", err)
			}
			job, err := b.Get(t.Context(), "j")
			if err != nil || !job.Newer() || job.Kind != fields["kind"] || string(job.State) != fields["state"] || job.Hop != 7 || job.Error != nil {
				t.Errorf("it shows as %+v, %v", job, err)
			}
			doc, err := ref.Get(t.Context())
			if err != nil || !doc.UpdateTime.Equal(written.UpdateTime) {
				t.Errorf("the document was written: %v, %v", doc.Data(), err)
			}
		})
	}
}

// A job that a newer release finished can be enqueued again.
func TestFinishedJobOfNewerReleaseIsReplaced(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	newer := map[string]any{"kind": "visit", "state": "done", "schema": chunker.Schema + 1, "generation": "g1", "hop": 7}
	if _, err := b.client.Doc("_functions/j").Set(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit", Generation: "g2"})
	if job := b.job("j"); job.Schema != chunker.Schema || job.Hop != 8 {
		t.Errorf("schema %d, hop %d; want %d and 8", job.Schema, job.Hop, chunker.Schema)
	}
	b.deliver("j")
	b.wantState("j", chunker.Done)
}

// A release leaves the jobs that the next one enqueues, in a rolling deployment.
func TestJobOfNextReleaseIsNotFailed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	next := b.next()
	b.ok(next.Enqueue(t.Context(), chunker.Spec{ID: "j", Kind: "visit"}))
	for range 20 { // far beyond its attempts
		if err := b.run("j", b.plenty()); !errors.Is(err, chunker.ErrNewer) {
			t.Fatal(err)
		}
		b.clock.move(11 * time.Minute)
	}
	b.deliver("j", next)
	if job := b.wantState("j", chunker.Done); job.Attempt != 0 || job.Error != nil {
		t.Errorf("attempt %d, error %v", job.Attempt, job.Error)
	}
}

// A job that a release without its kind has failed is right again after a retry.
func TestRetryOfJobFailedByAnotherRelease(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	other := chunker.New(b.client, chunker.Options{MaxAttempts: 4, Patience: time.Minute, Now: b.clock.Now})
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	b.ok(b.run("j", b.pages(1)))
	b.deliver("j", other)
	b.wantState("j", chunker.Failed)
	if _, err := b.Retry(t.Context(), "j"); err != nil {
		t.Fatal(err)
	}
	b.deliver("j")
	if job := b.wantState("j", chunker.Done); job.Done != items {
		t.Errorf("done is %d", job.Done)
	}
}

package chunker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
)

// next is an engine of the next release, in which a visit has other phases: it
// counts first, and visits twice.
func (b *bench) next() *chunker.Engine {
	e := chunker.New(b.client, chunker.Options{
		Chunk: 3, MaxAttempts: 4, Patience: time.Minute, Now: b.clock.Now, Jitter: func(time.Duration) time.Duration { return 0 },
	})
	e.SetSchema(chunker.Schema + 1)
	items := func(chunker.Job) (firestore.Query, error) { return b.client.Collection("items").Query, nil }
	visit := bulk.Walk(1, items, func(_ context.Context, _ chunker.Job, doc *firestore.DocumentSnapshot) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.visited = append(b.visited, doc.Ref.ID)
		return nil
	})
	e.Register(chunker.Task{Kind: "visit", Schema: chunker.Schema + 1, Receipt: true, Phases: []chunker.Phase{
		{Name: "count", Page: bulk.CountFirst(items)}, {Name: "once", Page: visit}, {Name: "again", Page: visit},
	}})
	e.Register(chunker.Task{Kind: "new kind", Schema: chunker.Schema + 1, Phases: []chunker.Phase{{Name: "items", Page: visit}}})
	return e
}

// A release leaves the jobs of a newer one as they are, whatever they look like.
func TestAJobOfANewerReleaseIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	past := time.Now().Add(-time.Hour)
	for name, fields := range map[string]map[string]any{
		"queued":                   {"kind": "visit", "state": "queued", "wakeAt": past},
		"its step has died":        {"kind": "visit", "state": "running", "wakeAt": past, "lease": map[string]any{"holder": "x", "until": past}, "attempt": 3},
		"of an unknown kind":       {"kind": "later", "state": "queued", "wakeAt": past},
		"in a state of its own":    {"kind": "visit", "state": "paused", "wakeAt": past},
		"with fields of its own":   {"kind": "visit", "state": "queued", "wakeAt": past, "lastDoc": map[string]any{"name": "items/i3"}, "args": []any{1}},
		"a parent with open lanes": {"kind": "visit", "state": "running", "wakeAt": past, "lanes": 2, "lanesOpen": 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			fields["schema"], fields["generation"], fields["hop"] = chunker.Schema+1, "g1", 7
			ref := b.client.Doc("_functions/j")
			written, err := ref.Set(t.Context(), fields)
			if err != nil {
				t.Fatal(err)
			}
			for _, hop := range []int64{6, 7, 8} {
				if err := b.Run(t.Context(), "j", hop, b.plenty()); !errors.Is(err, chunker.ErrNewer) {
					t.Errorf("an event of hop %d is answered with %v, want ErrNewer", hop, err)
				}
			}
			b.clock.move(24 * time.Hour)
			if diff := cmp.Diff(chunker.Swept{Due: 1, Newer: 1}, b.sweep()); diff != "" {
				t.Errorf("sweep (-want +got):\n%s", diff)
			}
			_, canceled := b.Cancel(t.Context(), "j")
			_, retried := b.Retry(t.Context(), "j")
			for what, err := range map[string]error{
				"cancel": canceled, "retry": retried,
				"another generation": b.Enqueue(t.Context(), chunker.Spec{ID: "j", Kind: "visit", Generation: "g2"}),
				"lanes":              b.Enqueue(t.Context(), chunker.Spec{ID: "j", Kind: "visit", Generation: "g2", Splits: []string{"i5"}}),
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

// What a newer release has finished is no reason not to begin again.
func TestAFinishedJobOfANewerReleaseIsReplaced(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	newer := map[string]any{"kind": "visit", "state": "done", "schema": chunker.Schema + 1, "generation": "g1", "hop": 7}
	if _, err := b.client.Doc("_functions/j").Set(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit", Generation: "g2"})
	if job := b.job("j"); job.Schema != 1 || job.Hop != 8 {
		t.Errorf("schema %d, hop %d; want that of the task, 1, and 8", job.Schema, job.Hop)
	}
	b.deliver("j")
	b.wantState("j", chunker.Done)
}

// What the release before schemas has left has schema 1.
func TestAJobWithoutASchemaGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	if err := b.run("j", b.pages(2)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.client.Doc("_functions/j").Update(t.Context(), []firestore.Update{{Path: "schema", Value: firestore.Delete}}); err != nil {
		t.Fatal(err)
	}
	b.deliver("j")
	if job := b.wantState("j", chunker.Done); job.Schema != 1 || job.Done != items {
		t.Errorf("schema %d after %d documents", job.Schema, job.Done)
	}
	if diff := cmp.Diff(all(1), b.visited); diff != "" {
		t.Errorf("visited (-want +got):\n%s", diff)
	}
}

// The next release takes a job over whose phases have changed; the one before
// leaves it from then on.
func TestAJobOfAnEarlierSchemaStartsOver(t *testing.T) {
	t.Parallel()
	for name, splits := range map[string][]string{"alone": nil, "in lanes": {"i4", "i8"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			next := b.next()
			b.enqueue(chunker.Spec{ID: "j", Kind: "visit", Splits: splits})
			steps := []string{"j"}
			if splits != nil {
				steps = []string{"j~00", "j~01", "j~02"}
			}
			if err := b.run(steps[0], b.pages(1)); err != nil {
				t.Fatal(err)
			}
			half := b.job("j").Done
			b.visited = nil
			for _, id := range steps {
				for hop := 0; b.job(id).State != chunker.Done; hop++ {
					if err := next.Run(t.Context(), id, b.job(id).Hop, b.pages(1)); err != nil {
						t.Fatal(err)
					}
					// In a rolling deploy the same event comes to the old release too.
					if err := b.run(id, b.plenty()); b.job(id).State != chunker.Done && !errors.Is(err, chunker.ErrNewer) {
						t.Fatalf("the old release answers %v", err)
					}
					if hop > 20 {
						t.Fatal("it goes on for ever")
					}
				}
			}
			job := b.job("j")
			if half == 0 || job.State != chunker.Done || job.Done != 2*items || *job.Total != items {
				t.Errorf("%s after %d of %d documents, half-done it had %d", job.State, job.Done, *job.Total, half)
			}
			if got := len(b.visited); got != 2*items {
				t.Errorf("%d visits by the next release, want %d", got, 2*items)
			}
		})
	}
}

// A receipt says that something has gone already. Who starts over knows.
func TestAJobOfAnEarlierSchemaKeepsItsReceipt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	next := b.next() // which counts nothing
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	if err := b.run("j", b.pages(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.client.Doc("_functions/j").Update(t.Context(), []firestore.Update{{Path: "counts", Value: map[string]int64{"gone": 3}}}); err != nil {
		t.Fatal(err)
	}
	b.deliver("j", next)
	if job := b.wantState("j", chunker.Done); job.Counts["gone"] != 3 || job.Done != 2*items {
		t.Errorf("%d done, the receipt says %v", job.Done, job.Counts)
	}
}

// A kind that is new has a schema that is: releases before it leave its jobs.
func TestANewKindWaitsForTheReleaseThatKnowsIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	next := b.next()
	if err := next.Enqueue(t.Context(), chunker.Spec{ID: "j", Kind: "new kind"}); err != nil {
		t.Fatal(err)
	}
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
func TestRetryOfAJobThatAnotherReleaseHasFailed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	other := chunker.New(b.client, chunker.Options{MaxAttempts: 4, Patience: time.Minute, Now: b.clock.Now})
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	if err := b.run("j", b.pages(1)); err != nil {
		t.Fatal(err)
	}
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

func TestATaskBeyondTheSchemaIsRefused(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("it is registered")
		}
	}()
	page := func(context.Context, chunker.Job, *firestore.DocumentRef, int) (chunker.Page, error) {
		return chunker.Page{}, nil
	}
	chunker.New(nil, chunker.Options{}).Register(chunker.Task{Kind: "k", Schema: chunker.Schema + 1, Phases: []chunker.Phase{{Page: page}}})
}

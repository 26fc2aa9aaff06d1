package chunker_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/testkit"
)

// deliver brings the events of a job until nothing is left to do, as triggers
// and Sweep would, and returns how many steps there were.
func (b *bench) deliver(id string, engines ...*chunker.Engine) (steps int) {
	b.t.Helper()
	for steps = 1; steps <= 100; steps++ {
		doc, err := b.client.Doc("_functions/" + id).Get(b.t.Context())
		if err != nil {
			b.t.Fatal(err)
		}
		switch doc.Data()["state"] {
		case "done", "failed", "canceled":
			return steps - 1
		}
		engine := b.Engine
		if len(engines) > 0 {
			engine = engines[steps%len(engines)]
		}
		if err := engine.Run(b.t.Context(), id, b.plenty()); err != nil {
			b.t.Fatal(err)
		}
		b.clock.move(11 * time.Minute)
	}
	b.t.Fatalf("job %s goes on for ever", id)
	return 0
}

func TestHandwrittenJobs(t *testing.T) {
	t.Parallel()
	far := time.Now().Add(1000 * 24 * time.Hour)
	for name, c := range map[string]struct {
		fields map[string]any
		reason string // "": the job goes on to its end
	}{
		"the least that is a job":     {map[string]any{"kind": "visit", "state": "queued"}, ""},
		"an unknown kind":             {map[string]any{"kind": "vizit", "state": "queued"}, `this version has no task "vizit"`},
		"no kind":                     {map[string]any{"state": "queued"}, `this version has no task ""`},
		"chunk 0":                     {map[string]any{"kind": "visit", "state": "queued", "chunk": 0}, ""},
		"chunk -1":                    {map[string]any{"kind": "visit", "state": "queued", "chunk": -1}, ""},
		"chunk a million":             {map[string]any{"kind": "visit", "state": "queued", "chunk": 1_000_000}, ""},
		"chunk a word":                {map[string]any{"kind": "visit", "state": "queued", "chunk": "many"}, "chunk"},
		"a wrong type of lastDoc":     {map[string]any{"kind": "visit", "state": "queued", "lastDoc": "i3"}, "lastDoc"},
		"a wrong type of hop":         {map[string]any{"kind": "visit", "state": "queued", "hop": "one"}, "hop"},
		"a wrong type of args":        {map[string]any{"kind": "visit", "state": "queued", "args": 7}, "args"},
		"an unknown state":            {map[string]any{"kind": "visit", "state": "paused"}, `state "paused" is not queued`},
		"a state of a wrong type":     {map[string]any{"kind": "visit", "state": 3}, "state"},
		"a phase that is not there":   {map[string]any{"kind": "visit", "state": "queued", "phase": 7}, "phase 7"},
		"a negative phase":            {map[string]any{"kind": "visit", "state": "queued", "phase": -1}, "phase is -1"},
		"a collection that cannot be": {map[string]any{"kind": "label", "state": "queued", "collection": "users/u"}, "not the path of a collection"},
		"no attempts":                 {map[string]any{"kind": "visit", "state": "queued", "maxAttempts": 0}, ""},
		"a wakeAt in the far future":  {map[string]any{"kind": "visit", "state": "queued", "wakeAt": far}, ""},
		"a lease in the far future":   {map[string]any{"kind": "visit", "state": "running", "lease": map[string]any{"holder": "x", "until": far}, "wakeAt": far}, ""},
		"running without a lease":     {map[string]any{"kind": "visit", "state": "running"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			c.fields["marker"] = "kept"
			if _, err := b.client.Doc("_functions/j").Set(t.Context(), c.fields); err != nil {
				t.Fatal(err)
			}
			steps := b.deliver("j")
			job, err := b.Get(t.Context(), "j")
			b.ok(err)
			switch {
			case c.reason == "" && (job.State != chunker.Done || len(b.visited) < items-2):
				t.Errorf("job is %s with %v after %d visits, want done", job.State, job.Error, len(b.visited))
			case c.reason != "" && (job.State != chunker.Failed || job.Error == nil || !strings.Contains(job.Error.Message, c.reason)):
				t.Errorf("job is %s with %v, want failed because of %q", job.State, job.Error, c.reason)
			case steps > 4:
				t.Errorf("it took %d steps", steps)
			}
			doc, err := b.client.Doc("_functions/j").Get(t.Context())
			if err != nil || doc.Data()["marker"] != "kept" {
				t.Errorf("a field that the engine does not know is %v (%v), want it kept", doc.Data()["marker"], err)
			}
		})
	}
}

func TestEnqueueReplacesInvalidJobDocument(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if _, err := b.client.Doc("_functions/j").Set(t.Context(), map[string]any{"state": "queued", "kind": 7}); err != nil {
		t.Fatal(err)
	}
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	b.deliver("j")
	b.wantState("j", chunker.Done)
}

// A lease without a holder is valid until it expires.
func TestLeaseWithoutHolderLastsUntilExpiry(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	until := b.clock.Now().Add(time.Minute)
	lease := map[string]any{"until": until}
	if _, err := b.client.Doc("_functions/j").Set(t.Context(), map[string]any{"kind": "visit", "state": "running", "lease": lease, "wakeAt": until}); err != nil {
		t.Fatal(err)
	}
	if err := b.run("j", b.plenty()); err != nil || len(b.visited) > 0 {
		t.Errorf("before it has run out: %v after %d visits, want neither", err, len(b.visited))
	}
	b.clock.move(2 * time.Minute)
	testkit.NoError(t, b.run("j", b.plenty()))
	b.wantState("j", chunker.Done)
}

func TestJobContinuesAfterItsLastDocumentIsDeleted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	b.ok(b.run("j", b.pages(1)))
	if _, err := b.job("j").LastDoc.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.deliver("j")
	b.wantState("j", chunker.Done)
	testkit.Same(t, "visited", all(1), b.visited)
}

// A page that takes longer than a step is made smaller. A single-document page that
// still takes longer fails the job.
func TestOverrunningPageShrinks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	tiny := func() chunker.Budget {
		return chunker.NewBudget(t.Context(), time.Now(), 100*time.Millisecond, 0, nil)
	}
	var limits []int
	page := func(slowFrom int) chunker.PageFunc {
		return func(ctx context.Context, _ chunker.Job, _ *firestore.DocumentRef, limit int) (chunker.Page, error) {
			limits = append(limits, limit)
			if limit >= slowFrom {
				<-ctx.Done()
				return chunker.Page{}, ctx.Err()
			}
			return chunker.Page{Done: limit}, nil
		}
	}
	b.Register(chunker.Task{Kind: "slow", Phases: []chunker.Phase{{Page: page(3)}}})
	b.Register(chunker.Task{Kind: "stuck", Phases: []chunker.Phase{{Page: page(1)}}})
	run := func(kind string) {
		limits = nil
		b.enqueue(chunker.Spec{ID: kind, Kind: kind})
		if _, err := b.client.Doc("_functions/"+kind).Update(t.Context(), []firestore.Update{{Path: "chunk", Value: 32}}); err != nil {
			t.Fatal(err)
		}
		for range 6 {
			b.ok(b.Run(t.Context(), kind, tiny()))
			b.clock.move(11 * time.Minute)
		}
	}
	run("slow")
	testkit.Same(t, "pages", []int{32, 32, 8, 2}, limits)
	b.wantState("slow", chunker.Done)
	run("stuck")
	testkit.Same(t, "pages", []int{32, 32, 8, 2}, limits)
	if job := b.wantState("stuck", chunker.Failed); !strings.Contains(job.Error.Message, "longer than the step's time") {
		t.Errorf("the job says %q", job.Error.Message)
	}
}

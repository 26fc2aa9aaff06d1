package chunker

import (
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker/jobdocs"
)

// Engine enqueues jobs and runs their steps. Once its tasks are registered, it is safe
// for concurrent use.
type Engine struct {
	*jobdocs.Store // reads and deletes the job documents

	client *firestore.Client
	opts   Options
	tasks  map[string]Task
	schema int // Schema; tests set another release's

	turns    *turns
	released func() bool // reports whether waiting jobs may run again; nil: no
}

// New returns an engine without tasks.
func New(client *firestore.Client, opts Options) *Engine {
	opts = opts.withDefaults()
	return &Engine{
		Store: jobdocs.NewStore(client, opts.Collection, Schema), client: client, opts: opts, tasks: map[string]Task{}, schema: Schema,
		turns: &turns{most: opts.Turns},
	}
}

// Now returns the time by the engine's clock.
func (e *Engine) Now() time.Time { return e.opts.Now() }

// Register adds a task. Call it before the first Run. It panics if the kind is
// registered twice, or if the task has no kind or no phase.
func (e *Engine) Register(t Task) {
	if _, ok := e.tasks[t.Kind]; ok || t.Kind == "" || len(t.Phases) == 0 {
		panic(fmt.Sprintf("chunker: task %q is registered twice, or has no kind or phase", t.Kind))
	}
	e.tasks[t.Kind] = t
}

// ReleaseBy sets the function that reports whether waiting jobs may run again: see [Page.Waits]. Each Sweep
// calls released, and queues all waiting jobs if it returns true. Without ReleaseBy, they wait until Enqueue
// has another generation. Call ReleaseBy before the first Run.
func (e *Engine) ReleaseBy(released func() bool) { e.released = released }

// read returns a job in a transaction; nil if there is none. With an error of decode, it also returns the
// partial Job of decode.
func (e *Engine) read(tx *firestore.Transaction, ref *firestore.DocumentRef) (*Job, error) {
	snap, err := tx.Get(ref)
	if status.Code(err) == codes.NotFound {
		return nil, nil //nolint:nilnil // a missing job is an answer, not an error
	}
	if err != nil {
		return nil, err
	}
	job, err := e.Decode(snap)
	return &job, err
}

// put writes a job in the transaction that has read it.
func (e *Engine) put(tx *firestore.Transaction, ref *firestore.DocumentRef, job Job) error {
	job.UpdatedAt = e.opts.Now()
	return tx.Update(ref, jobdocs.Updates(job))
}

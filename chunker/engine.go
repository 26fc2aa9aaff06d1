package chunker

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"time"

	"cloud.google.com/go/firestore"
)

// Options of an Engine. The zero value is the default.
type Options struct {
	Collection  string        // of job documents; "": "_functions"
	Chunk       int           // documents in a page; 0: 500
	Lease       time.Duration // must exceed the longest page; renewed by each checkpoint; 0: one minute
	MaxAttempts int           // failures in a row before a job fails; 0: 10
	Keep        time.Duration // from a job's end to its expireAt; 0: seven days

	Now    func() time.Time                              // nil: time.Now
	Jitter func(ceiling time.Duration) (d time.Duration) // of the retry time, in [0, ceiling); nil: random
	Logger *slog.Logger                                  // nil: slog.Default()
}

func (o Options) withDefaults() Options {
	o.Collection = cmp.Or(o.Collection, "_functions")
	o.Chunk = cmp.Or(o.Chunk, 500)
	o.Lease = cmp.Or(o.Lease, time.Minute)
	o.MaxAttempts = cmp.Or(o.MaxAttempts, 10)
	o.Keep = cmp.Or(o.Keep, 7*24*time.Hour)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = func(ceiling time.Duration) time.Duration { return mathrand.N(ceiling) } //nolint:gosec // spreads retries, guards nothing
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// Engine enqueues jobs and runs their steps. It is safe for concurrent use
// once its tasks are registered.
type Engine struct {
	client *firestore.Client
	opts   Options
	tasks  map[string]Task
}

// New makes an engine without tasks.
func New(client *firestore.Client, opts Options) *Engine {
	return &Engine{client: client, opts: opts.withDefaults(), tasks: map[string]Task{}}
}

// Register makes a task known. Call it before the first Run. Registering a
// kind twice, or a task without a phase, is a mistake of the program: it panics.
func (e *Engine) Register(t Task) {
	if _, ok := e.tasks[t.Kind]; ok || t.Kind == "" || len(t.Phases) == 0 {
		panic(fmt.Sprintf("chunker: task %q is registered twice, or has no kind or phase", t.Kind))
	}
	e.tasks[t.Kind] = t
}

func (e *Engine) jobs() *firestore.CollectionRef { return e.client.Collection(e.opts.Collection) }

// Run runs one step of the job: it claims it, works through pages while the
// budget lasts, and hands over or finishes. hop is the hop of the event that
// caused the call; an event older than the document's hop finds nothing to do.
//
// It returns nil when the step ended as it should, or there was nothing to do;
// ErrBusy when the event should come again later; and the task's error when a
// page failed and the job waits for its retry (deliver the event again). A job
// that failed for good is not an error of Run: the job document says it.
// Run may be called at any time, twice and at once.
func (e *Engine) Run(ctx context.Context, id string, hop int64, budget Budget) error {
	job, err := e.claim(ctx, id, hop)
	if err != nil || job == nil {
		return err
	}
	var longest time.Duration
	for {
		started := e.opts.Now()
		page, err := e.page(ctx, *job, budget)
		if err != nil {
			return e.fail(ctx, *job, err)
		}
		longest = max(longest, e.opts.Now().Sub(started))
		next, finished := e.advance(*job, page)
		switch {
		case finished:
			return e.save(ctx, *job, e.finished(next))
		case !budget.Covers(longest):
			return e.save(ctx, *job, func(stored Job) Job {
				next.Generation = stored.Generation
				next.queue(e.opts.Now())
				return next
			})
		default:
			if err := e.save(ctx, *job, e.checkpoint(&next)); err != nil {
				return err
			}
			*job = next
		}
	}
}

// page runs the task on the page after the cursor. A panic is a permanent
// error: it would come again.
func (e *Engine) page(ctx context.Context, job Job, budget Budget) (page Page, err error) {
	task, ok := e.tasks[job.Kind]
	if !ok {
		return Page{}, fmt.Errorf("%w: %q", ErrUnknownKind, job.Kind)
	}
	if job.Phase >= len(task.Phases) {
		return Page{}, Permanent(fmt.Errorf("chunker: job %s is in phase %d, task %q has %d", job.ID, job.Phase, job.Kind, len(task.Phases)))
	}
	defer func() {
		if r := recover(); r != nil {
			err = Permanent(fmt.Errorf("chunker: task %q panicked: %v", job.Kind, r))
		}
	}()
	phase := task.Phases[job.Phase]
	ctx, cancel := context.WithTimeout(ctx, budget.Left())
	defer cancel()
	page, err = phase.Page(ctx, job, job.LastDoc, max(1, job.Chunk))
	if err != nil {
		return Page{}, fmt.Errorf("job %s, phase %s: %w", job.ID, phase.Name, err)
	}
	return page, nil
}

// advance is the job after a page, and whether that was the last one.
func (e *Engine) advance(job Job, page Page) (Job, bool) {
	job.Done += int64(page.Done)
	job.Attempt, job.Error = 0, nil
	if page.More {
		job.LastDoc = page.Last
		return job, false
	}
	job.Phase, job.LastDoc = job.Phase+1, nil
	return job, job.Phase >= len(e.tasks[job.Kind].Phases)
}

func (e *Engine) checkpoint(next *Job) func(Job) Job {
	return func(stored Job) Job {
		next.Generation = stored.Generation
		e.lease(next, next.Lease.Holder)
		return *next
	}
}

// finished ends the run, or starts the next one where the target has changed
// since this one began.
func (e *Engine) finished(next Job) func(Job) Job {
	return func(stored Job) Job {
		now := e.opts.Now()
		if stored.Generation != next.RunGeneration {
			next.restart(stored.Generation)
			next.queue(now)
			return next
		}
		next.finish(Done, now, e.opts.Keep)
		return next
	}
}

// fail records the error and says when to try again, or gives up.
func (e *Engine) fail(ctx context.Context, job Job, cause error) error {
	now := e.opts.Now()
	job.Attempt++
	job.Error = failureOf(cause, now)
	final := IsPermanent(cause) || job.Attempt >= job.MaxAttempts
	err := e.save(ctx, job, func(stored Job) Job {
		job.Generation = stored.Generation
		if final {
			job.finish(Failed, now, e.opts.Keep)
		} else {
			job.queue(now.Add(backoff(job.Attempt, e.opts.Jitter)))
		}
		return job
	})
	if err != nil {
		return errors.Join(cause, err)
	}
	if final {
		e.opts.Logger.ErrorContext(ctx, "job failed", keyJob, job.ID, keyKind, job.Kind, keyError, cause)
		return nil
	}
	return cause
}

// Attribute keys of the log.
const (
	keyJob   = "job"
	keyKind  = "kind"
	keyError = "error"
)

// newHolder names a step.
func newHolder() string { return rand.Text() }

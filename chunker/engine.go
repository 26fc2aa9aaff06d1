package chunker

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"cloud.google.com/go/firestore"
)

// Defaults of Options.
const (
	DefaultCollection = "_functions"
	DefaultChunk      = 500
	DefaultLease      = time.Minute
	DefaultPatience   = 24 * time.Hour
)

// Options configure an Engine. The zero value is the default.
type Options struct {
	// Collection is the collection of job documents; "": DefaultCollection.
	Collection string
	// Chunk is the most documents of a page; 0: DefaultChunk.
	Chunk int
	// Lease is the time between a step's last sign of life and a takeover. Checkpoints
	// renew the lease, and so do running pages. 0: DefaultLease.
	Lease time.Duration
	// MaxAttempts is the fewest failures in a row before a job fails for good; 0: 10.
	MaxAttempts int
	// Patience is the shortest time from the first of these failures to the last;
	// 0: DefaultPatience.
	Patience time.Duration
	// Grace is how long after a job's wakeAt Sweep first queues the job; 0: 10 seconds.
	Grace time.Duration
	// Turns is the most jobs of one owner and kind that the engine runs at once;
	// 0: no bound.
	Turns int

	// Now returns the time; nil: time.Now.
	Now func() time.Time
	// Jitter returns the random part of a retry time, in [0, ceiling); nil: random.
	Jitter func(ceiling time.Duration) (d time.Duration)
	// Logger; nil: slog.Default().
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	o.Collection = cmp.Or(o.Collection, DefaultCollection)
	o.Chunk = cmp.Or(o.Chunk, DefaultChunk)
	o.Lease = cmp.Or(o.Lease, DefaultLease)
	o.MaxAttempts = cmp.Or(o.MaxAttempts, 10)
	o.Patience = cmp.Or(o.Patience, DefaultPatience)
	o.Grace = cmp.Or(o.Grace, 10*time.Second)
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

// Engine enqueues jobs and runs their steps. Once its tasks are registered, it is safe
// for concurrent use.
type Engine struct {
	client *firestore.Client
	opts   Options
	tasks  map[string]Task
	schema int // Schema; tests set another release's

	reports chan struct{} // full while a lane writes its parent
	turns   *turns
}

// New returns an engine without tasks.
func New(client *firestore.Client, opts Options) *Engine {
	return &Engine{
		client: client, opts: opts.withDefaults(), tasks: map[string]Task{}, schema: Schema,
		reports: make(chan struct{}, 1), turns: &turns{most: opts.Turns},
	}
}

// Register adds a task. Call it before the first Run. It panics if the kind is
// registered twice, or if the task has no kind, no phase, or a schema above [Schema].
func (e *Engine) Register(t Task) {
	if _, ok := e.tasks[t.Kind]; ok || t.Kind == "" || len(t.Phases) == 0 || t.schema() > e.schema {
		panic(fmt.Sprintf("chunker: task %q is registered twice, has no kind or phase, or schema %d of %d", t.Kind, t.Schema, e.schema))
	}
	e.tasks[t.Kind] = t
}

func (e *Engine) jobs() *firestore.CollectionRef { return e.client.Collection(e.opts.Collection) }

// maxID is the most bytes of a document id:
// https://docs.cloud.google.com/firestore/quotas.
const maxID = 1500

// Ref returns a job's document; nil if id is not a valid document id.
func (e *Engine) Ref(id string) *firestore.DocumentRef {
	switch reserved := strings.HasPrefix(id, "__") && strings.HasSuffix(id, "__"); {
	case id == "", id == ".", id == "..", reserved, strings.Contains(id, "/"), len(id) > maxID, !utf8.ValidString(id):
		return nil
	}
	return e.jobs().Doc(id)
}

// Run runs one step of the job. It claims the job, works through pages while the budget
// lasts, and hands over or finishes. hop is the hop in the event that caused the call.
//
// An event with a lower hop than the document's is late. It may run the step that is
// due. If another step holds the job, its owner has no free turn, or the retry time has
// not come, Run returns nil: the event of the newest hop waits for that.
//
// Run returns nil if
//
//   - the step ended normally;
//   - a page failed and the job waits for its retry: the write that says so emits the
//     next event;
//   - the job failed for good: its document says why;
//   - there was nothing to do.
//
// It returns ErrBusy if the event should come again later, also while Options.Turns
// jobs of the owner are running. It returns ErrNewer if the event should come again to
// a newer release, and ErrLeaseLost if another step has the job. Other errors say that
// the job document could not be read or written. After any error, deliver the event
// again.
//
// You may call Run at any time, twice and at once.
func (e *Engine) Run(ctx context.Context, id string, hop int64, budget Budget) error {
	job, err := e.claim(ctx, id, hop)
	if err != nil || job == nil {
		return err
	}
	// Copied now: a done job has no owner.
	defer e.turns.leave(Job{Kind: job.Kind, Owner: job.Owner})
	var longest time.Duration
	for {
		started := e.opts.Now()
		page, err := e.page(ctx, *job, budget)
		if errors.Is(err, ErrLeaseLost) {
			return err
		}
		if err != nil {
			return e.fail(ctx, *job, err)
		}
		longest = max(longest, e.opts.Now().Sub(started))
		next, finished := e.advance(*job, page)
		switch {
		case page.Gone && job.Lane == nil:
			return e.discard(ctx, *job)
		case finished:
			_, err := e.save(ctx, next, e.finished)
			return err
		case !budget.Covers(longest):
			_, err := e.save(ctx, next, func(j *Job) { j.queue(e.opts.Now()) })
			return err
		}
		if next, err = e.save(ctx, next, func(j *Job) { e.lease(j, j.Lease.Holder) }); err != nil {
			return err
		}
		*job = next
	}
}

// page runs the task on the page after the cursor.
func (e *Engine) page(ctx context.Context, job Job, budget Budget) (page Page, err error) {
	task, ok := e.tasks[job.Kind]
	if !ok {
		return Page{}, fmt.Errorf("chunker: this version has no task %q", job.Kind)
	}
	if n := len(task.Phases); job.Phase >= n {
		return Page{}, fmt.Errorf("chunker: task %q has no phase %d: it has %d", job.Kind, job.Phase, n)
	}
	phase := task.Phases[job.Phase]
	ctx, cancel := context.WithTimeout(ctx, budget.Left())
	defer cancel()
	ctx, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	defer e.keepLease(ctx, job, lost)()
	err = Guard(func() (err error) {
		page, err = phase.Page(ctx, job, job.LastDoc, job.limit())
		return err
	})
	LogPanic(ctx, e.opts.Logger, err)
	if err != nil && errors.Is(context.Cause(ctx), ErrLeaseLost) {
		return Page{}, fmt.Errorf("job %s, phase %s: %w", job.ID, phase.Name, ErrLeaseLost)
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("a page of %d documents takes longer than the step's time: %w", job.limit(), err)
	}
	if err != nil {
		return Page{}, fmt.Errorf("job %s, phase %s: %w", job.ID, phase.Name, err)
	}
	return page, nil
}

// advance returns the job after a page, and whether that page was the last.
func (e *Engine) advance(job Job, page Page) (Job, bool) {
	job.Done += int64(page.Done)
	job.forgive()
	if page.Total != nil {
		job.Total = page.Total
	}
	for name, n := range page.Counts {
		job.count(name, n)
	}
	if page.More {
		job.LastDoc = page.Last
		return job, false
	}
	job.Phase, job.LastDoc = job.Phase+1, nil
	return job, job.Phase >= len(e.tasks[job.Kind].Phases)
}

// finished ends the run. If the target has changed since the run began, it queues the
// next run.
func (e *Engine) finished(job *Job) {
	now := e.opts.Now()
	if job.Generation != job.RunGeneration {
		job.restart(job.Generation)
		job.queue(now)
		return
	}
	job.finish(Done, now)
}

// setback records a failure without progress. It reports whether the job must fail: no
// retry can help, or none has helped for too long.
func (e *Engine) setback(job *Job, cause error) (last bool) {
	now := e.opts.Now()
	// An earlier release writes Attempt alone.
	if job.Attempt < 1 || job.FailingSince == nil || job.FailingSince.After(now) {
		job.FailingSince = &now
	}
	job.Attempt++
	job.Error = failureOf(cause, now)
	if job.MaxAttempts > 0 && job.MaxAttempts < e.opts.MaxAttempts {
		return IsPermanent(cause) || job.Attempt >= job.MaxAttempts
	}
	return IsPermanent(cause) || job.Attempt >= e.opts.MaxAttempts && now.Sub(*job.FailingSince) >= e.opts.Patience
}

// fail records the error and the retry time, or fails the job for good. The write emits
// an event, which comes too early: Run returns ErrBusy for it until the retry time.
func (e *Engine) fail(ctx context.Context, job Job, cause error) error {
	now := e.opts.Now()
	if e.setback(&job, cause) {
		_, err := e.save(ctx, job, func(j *Job) { j.finish(Failed, now) })
		if err != nil {
			return errors.Join(cause, err)
		}
		e.gaveUp(ctx, job.ID, job.Kind, cause)
		return nil
	}
	retry := now.Add(backoff(job.Attempt, e.opts.Jitter))
	_, err := e.save(ctx, job, func(j *Job) {
		if j.Generation != job.Generation {
			retry = now // Enqueue wrote while the step ran: see startOver
		}
		j.queue(retry)
	})
	if err != nil {
		return errors.Join(cause, err)
	}
	e.opts.Logger.WarnContext(ctx, "step failed, to be tried again",
		keyJob, job.ID, keyKind, job.Kind, keyError, cause, keyAttempt, job.Attempt, keyRetry, retry)
	e.keepsFailing(ctx, job)
	return nil
}

// keepsFailing logs, once in a row of failures, that the job needs an operator. Alerts
// count this line. At that time, most of Options.Patience is left.
func (e *Engine) keepsFailing(ctx context.Context, job Job) {
	if job.Attempt == e.opts.MaxAttempts {
		e.opts.Logger.ErrorContext(ctx, "job keeps failing", keyJob, job.ID, keyKind, job.Kind, keyError, job.Error, keyAttempt, job.Attempt)
	}
}

// gaveUp logs one line when a job has failed for good and its document says so. Alerts
// count this line. Each failed lane of a job logs its own.
func (e *Engine) gaveUp(ctx context.Context, id, kind string, cause error) {
	e.opts.Logger.ErrorContext(ctx, "job failed", keyJob, id, keyKind, kind, keyError, cause)
}

// Log attribute keys.
const (
	keyJob     = "job"
	keyKind    = "kind"
	keyState   = "state"
	keyAttempt = "attempt"
	keyRetry   = "retryAt"
	keyError   = "error"
	keyStack   = "stack"
)

// newHolder returns a random name for a step.
func newHolder() string { return rand.Text() }

package chunker

import (
	"context"
	"errors"
	"fmt"
	"time"
)

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
			_, err := e.save(ctx, next, func(j *Job) { queue(j, e.opts.Now()) })
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
		page, err = phase.Page(ctx, job, job.LastDoc, limit(job))
		return err
	})
	LogPanic(ctx, e.opts.Logger, err)
	if err != nil && errors.Is(context.Cause(ctx), ErrLeaseLost) {
		return Page{}, fmt.Errorf("job %s, phase %s: %w", job.ID, phase.Name, ErrLeaseLost)
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("a page of %d documents takes longer than the step's time: %w", limit(job), err)
	}
	if err != nil {
		return Page{}, fmt.Errorf("job %s, phase %s: %w", job.ID, phase.Name, err)
	}
	return page, nil
}

// advance returns the job after a page, and whether that page was the last.
func (e *Engine) advance(job Job, page Page) (Job, bool) {
	job.Done += int64(page.Done)
	clearFailures(&job)
	if page.Total != nil {
		job.Total = page.Total
	}
	for name, n := range page.Counts {
		addCount(&job, name, n)
	}
	if page.More {
		job.LastDoc = page.Last
		return job, false
	}
	job.Phase, job.LastDoc = job.Phase+1, nil
	return job, job.Phase >= len(e.tasks[job.Kind].Phases)
}

// fail records the error and the retry time, or fails the job for good. The write emits
// an event, which comes too early: Run returns ErrBusy for it until the retry time.
func (e *Engine) fail(ctx context.Context, job Job, cause error) error {
	now := e.opts.Now()
	if e.recordFailure(&job, cause) {
		_, err := e.save(ctx, job, func(j *Job) { finish(j, Failed, now) })
		if err != nil {
			return errors.Join(cause, err)
		}
		e.logFailed(ctx, job.ID, job.Kind, cause)
		return nil
	}
	retry := now.Add(backoff(job.Attempt, e.opts.Jitter))
	_, err := e.save(ctx, job, func(j *Job) {
		if job.Generation == job.RunGeneration && j.Generation != job.Generation {
			retry = now // Enqueue wrote while the step ran: see startOver
		}
		queue(j, retry)
	})
	if err != nil {
		return errors.Join(cause, err)
	}
	e.opts.Logger.WarnContext(ctx, "step failed, will be retried",
		keyJob, job.ID, keyKind, job.Kind, keyError, cause, keyAttempt, job.Attempt, keyRetry, retry)
	e.logKeepsFailing(ctx, job)
	return nil
}

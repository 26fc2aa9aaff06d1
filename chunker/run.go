package chunker

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Run runs one step of the job, for an event of its document. If the step's owner has other
// jobs that are due, Run goes on with them while the budget lasts: see [Options.Turns].
//
// An event says only that a step may be due: the document decides. Run returns nil to acknowledge the event if
//
//   - the step ended normally, a page failed and the job waits for its retry, or the job failed for good: its
//     document says so;
//   - the job is gone or has ended;
//   - another step holds it, or took it over from this one;
//   - it waits, its retry time has not come, or its owner has no free turn.
//
// It returns ErrNewer if the event should come again, to a newer release. Other errors mean that the job
// document could not be read or written: deliver the event again.
//
// You may call Run at any time, twice and at once.
//
// # Why no job waits for ever
//
// An acknowledged event is not delivered again. Something else then runs the job:
//
//   - Another step holds the job. That step writes the job at its end, in a transaction. The transaction sees
//     all writes made meanwhile, and its own write has an event. If the step dies, Sweep finds the end of its
//     lease.
//   - The job waits. Sweep finds the job once it may run again: see [Engine.ReleaseBy]. If a late step makes a
//     job wait after that, the next Sweep finds it.
//   - The retry time has not come. Sweep finds the job at that time, or the owner's next step that ends later
//     finds it.
//   - No turn is free. Rejecting a turn and giving one back lock the same mutex. So at that moment another
//     call in this process has a turn of the owner. Whatever the result of its claim, that call gives the turn
//     back, and then queries the owner's due jobs. The job was due before its event was sent, and the query is
//     consistent: the call finds the job, or an older one. The found job runs now, or is queued again with a
//     new event. When its step ends, or its event gets no turn, the same argument holds again. If another step
//     has taken the found job, that step holds it. If the process dies or the query fails, Sweep wakes as many
//     of the owner's jobs as there are turns. Each of their steps queries due jobs at its end.
func (e *Engine) Run(ctx context.Context, id string, budget Budget) error {
	job, left, err := e.claim(ctx, id)
	for job != nil || left != nil {
		if job != nil {
			err = errors.Join(err, e.step(ctx, *job, budget))
			e.turns.leave(*job)
			left = job // as claimed, because a done job has no owner
		}
		job, left = e.next(ctx, *left, budget)
	}
	return err
}

// step works through pages while the budget lasts. Then it writes the job once.
//
// A crash before that write loses the cursor of this step: when the lease has ended, the
// next step repeats its pages. A crash after it costs nothing.
func (e *Engine) step(ctx context.Context, job Job, budget Budget) error {
	held, release := e.keepLease(ctx, job)
	job, page, err := e.pages(held, job, budget)
	release()
	switch {
	case errors.Is(err, ErrLeaseLost):
	case err != nil:
		err = e.fail(ctx, job, err)
	case page.Gone:
		err = e.discard(ctx, job)
	case job.Phase >= len(e.tasks[job.Kind].Phases):
		err = e.save(ctx, job, e.finished)
	default:
		err = e.save(ctx, job, func(j *Job) { queue(j, e.opts.Now(), e.opts.Now()) })
	}
	if errors.Is(err, ErrLeaseLost) { // finished work stays, and is repeated if the job continues
		e.opts.Logger.InfoContext(ctx, "step lost its lease", keyJob, job.ID, keyKind, job.Kind)
		return nil
	}
	return err
}

// pages works through pages until one ends the step, and returns the job after the last page. If a page fails,
// pages repeats it if there is time for the pause. Otherwise the page's error ends the step, and is recorded
// in the job.
func (e *Engine) pages(ctx context.Context, job Job, budget Budget) (Job, Page, error) {
	var longest time.Duration
	for {
		started := e.opts.Now()
		page, err := e.page(ctx, job, budget)
		if errors.Is(err, ErrLeaseLost) {
			return job, Page{}, err
		}
		if err != nil {
			e.recordFailure(&job, err)
			pause := backoff(job.Attempt, e.opts.Jitter)
			if e.hopeless(job, err) || !budget.fits(pause) {
				return job, Page{}, err
			}
			e.opts.Logger.WarnContext(ctx, "page failed, will be repeated", keyJob, job.ID, keyKind, job.Kind, keyError, err, keyAttempt, job.Attempt)
			e.logKeepsFailing(ctx, job)
			if !e.opts.Wait(ctx, pause) {
				return job, Page{}, err
			}
			continue
		}
		longest = max(longest, e.opts.Now().Sub(started))
		finished := e.advance(&job, page)
		if finished || page.Gone || page.HandOver || !budget.Covers(longest) {
			return job, page, nil
		}
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
	paged, cancel := context.WithTimeout(ctx, budget.Left())
	defer cancel()
	err = Guard(func() (err error) {
		page, err = phase.Page(paged, job, job.LastDoc, limit(job))
		return err
	})
	LogPanic(ctx, e.opts.Logger, err)
	if err != nil && errors.Is(context.Cause(ctx), ErrLeaseLost) {
		return Page{}, fmt.Errorf("job %s, phase %s: %w", job.ID, phase.Name, ErrLeaseLost)
	}
	if err != nil && paged.Err() != nil {
		err = fmt.Errorf("a page of %d documents takes longer than the step's time: %w", limit(job), err)
	}
	if err != nil {
		return Page{}, fmt.Errorf("job %s, phase %s: %w", job.ID, phase.Name, err)
	}
	return page, nil
}

// advance moves the job past a page, and reports whether that page was the last.
func (e *Engine) advance(job *Job, page Page) (finished bool) {
	job.Done += int64(page.Done)
	job.Waits = job.Waits || page.Waits
	clearFailures(job)
	if page.Total != nil {
		job.Total = page.Total
	}
	for name, n := range page.Counts {
		addCount(job, name, n)
	}
	if page.More {
		job.LastDoc = page.Last
		return false
	}
	job.Phase, job.LastDoc = job.Phase+1, nil
	return job.Phase >= len(e.tasks[job.Kind].Phases)
}

// addCount adds to a count of the job. The map that the job had stays as it is.
func addCount(j *Job, name string, n int64) {
	counts := map[string]int64{name: n}
	for other, m := range j.Counts {
		counts[other] += m
	}
	j.Counts = counts
}

// fail writes the recorded failure and the retry time, or fails the job for good. The event
// of the first write comes too early: see [Engine.Run].
func (e *Engine) fail(ctx context.Context, job Job, cause error) error {
	now := e.opts.Now()
	if e.hopeless(job, cause) {
		if err := e.save(ctx, job, func(j *Job) { finish(j, Failed, now) }); err != nil {
			return errors.Join(cause, err)
		}
		e.logFailed(ctx, job.ID, job.Kind, cause)
		return nil
	}
	retry := now.Add(backoff(job.Attempt, e.opts.Jitter))
	err := e.save(ctx, job, func(j *Job) {
		if job.Generation == job.RunGeneration && j.Generation != job.Generation {
			retry = now // Enqueue wrote while the step ran: see startOver
		}
		queue(j, retry, now)
	})
	if err != nil {
		return errors.Join(cause, err)
	}
	e.opts.Logger.WarnContext(ctx, "step failed, will be retried",
		keyJob, job.ID, keyKind, job.Kind, keyError, cause, keyAttempt, job.Attempt, keyRetry, retry)
	e.logKeepsFailing(ctx, job)
	return nil
}

// wait waits for d, and reports whether ctx lasted so long.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

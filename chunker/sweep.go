package chunker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/jobs"
)

// Swept counts the jobs that Sweep found.
type Swept struct {
	Due    int `json:"due"`    // jobs whose wakeAt had passed by Options.Grace
	Woken  int `json:"woken"`  // of these, queued again: their events run them
	Failed int `json:"failed"` // of these, failed: steps keep dying, or no job
	Newer  int `json:"newer"`  // of these, skipped: a newer release wrote them
}

// sweepPage is how many jobs Sweep reads at once.
const sweepPage = 100

// wakeTimeout bounds the time for one job: a read may hang.
const wakeTimeout = 10 * time.Second

// sweepErrors is the most jobs that Sweep's error names.
const sweepErrors = 10

// Sweep queues the jobs whose wakeAt passed more than Options.Grace ago. Their event
// was lost, or their step died and nothing took over. The write emits the event that
// runs the next step. The grace spares a job that was only just queued, and whose event
// is on its way. The grace doubles with each sweep of a job that has had no step since,
// up to five minutes.
//
// Call Sweep every minute, from one place or several. If the budget is spent, it stops
// early without an error, and the next call begins at the oldest job again. A job that
// cannot be queued does not stop the others: Sweep joins the first few errors.
//
// It costs a read for each job whose wakeAt has passed, and at least one. Each job that
// it queues costs another read and a write. Jobs still in their grace are skipped after
// the first read.
func (e *Engine) Sweep(ctx context.Context, budget Budget) (Swept, error) {
	var swept Swept
	due := e.opts.Now().Add(-e.opts.Grace)
	q := e.Documents().Where("wakeAt", "<=", due).OrderBy("wakeAt", firestore.Asc).Limit(sweepPage)
	page := q
	var failures []error
	for budget.Left() > 0 {
		docs, err := page.Documents(ctx).GetAll()
		if err != nil {
			return swept, errors.Join(append(failures, fmt.Errorf("sweep: %w", err))...)
		}
		for _, doc := range docs {
			if budget.Left() <= 0 {
				break
			}
			swept.Due++
			job, err := e.Decode(doc)
			if errors.Is(err, ErrNewer) {
				swept.Newer++
				continue
			}
			if err == nil && !e.overdue(job, due) {
				continue
			}
			if err := e.wake(ctx, doc.Ref, due, &swept); err != nil && len(failures) < sweepErrors {
				failures = append(failures, fmt.Errorf("sweep: job %s: %w", doc.Ref.ID, err))
			}
		}
		if len(docs) < sweepPage {
			break
		}
		// Continue after the last document. A query from the start would scan the old
		// index entries of the jobs that were just queued.
		page = q.StartAfter(docs[len(docs)-1])
	}
	return swept, errors.Join(failures...)
}

// longestDelay is the longest that Sweep waits before it queues a job again.
const longestDelay = 5 * time.Minute

// overdue reports whether a job whose wakeAt is not after due has rested enough.
func (e *Engine) overdue(job Job, due time.Time) bool {
	now := e.opts.Now()
	return !job.State.Finished() && job.WakeAt != nil && !job.WakeAt.After(due) && !leased(job, now) &&
		(job.State != Queued || !now.Before(job.WakeAt.Add(e.sweepDelay(job.Sweeps))))
}

// sweepDelay returns how long after its wakeAt Sweep queues a queued job, after so many
// sweeps since its last step. Its events are on their way, or it waits for its owner's
// turn, and each sweep adds another event.
func (e *Engine) sweepDelay(sweeps int) time.Duration {
	return min(e.opts.Grace<<max(0, min(sweeps, 10)), max(e.opts.Grace, longestDelay))
}

// wake queues one job that is still due. A crash before the write leaves the job to the
// next sweep. A sweep at the same time finds it queued.
func (e *Engine) wake(ctx context.Context, ref *firestore.DocumentRef, due time.Time, swept *Swept) error {
	ctx, cancel := context.WithTimeout(ctx, wakeTimeout)
	defer cancel()
	var woken, failed, newer int
	var kind string // of a job that failed, with its cause
	var cause error
	var dead *Job // its step has died
	err := e.client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		woken, failed, newer, kind, cause, dead = 0, 0, 0, "", nil, nil
		stored, err := e.read(tx, ref)
		if errors.Is(err, jobs.ErrNotJob) {
			failed, cause = 1, err
			return e.failDamaged(tx, ref, err)
		}
		if errors.Is(err, ErrNewer) {
			newer++
			return nil
		}
		if err != nil || stored == nil {
			return err
		}
		job := *stored
		if !e.overdue(job, due) {
			return nil
		}
		if job.State == Running {
			dead = &job
		}
		if dead != nil && e.stepDied(&job) {
			failed, kind, cause = 1, job.Kind, errStepsDied
		} else {
			woken = 1
			queue(&job, e.opts.Now())
			job.Sweeps++
		}
		return e.put(ctx, tx, ref, job)
	})
	if err != nil {
		return err
	}
	if failed > 0 {
		e.logFailed(ctx, ref.ID, kind, cause)
	}
	if dead != nil && failed == 0 {
		e.logKeepsFailing(ctx, *dead)
	}
	swept.Woken += woken
	swept.Failed += failed
	swept.Newer += newer
	return nil
}

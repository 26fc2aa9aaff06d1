package chunker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
)

// Swept is what Sweep found and did.
type Swept struct {
	Due    int `json:"due"`    // jobs whose wakeAt had passed
	Woken  int `json:"woken"`  // of them, queued anew: their events run them
	Failed int `json:"failed"` // of them, given up: their steps keep dying, or they are no jobs
	Newer  int `json:"newer"`  // of them, left as they are: a newer release wrote them
}

// sweepPage is how many jobs Sweep reads at once.
const sweepPage = 100

// wakeTimeout bounds the time for one job: a read may hang.
const wakeTimeout = 10 * time.Second

// sweepErrors is how many jobs Sweep names that it could not wake.
const sweepErrors = 10

// Sweep queues the jobs whose wakeAt has passed by more than Options.Grace: those whose
// event was lost, or whose step died and nothing came to take over. The write emits the
// event that runs the next step. The grace leaves alone what has only just been queued
// and whose event is on its way; it doubles with each sweep of a job that has had no
// step since, up to five minutes.
//
// Call it every minute, from one place or several. It stops early, without an error,
// when the budget is spent; the next call begins at the oldest again. A job that cannot
// be woken keeps no other from it: errors are joined, the first few of them. It costs a
// read for each job whose wakeAt has passed (at least one), and for each that it wakes
// another read and a write: those that rest are passed over as they are listed.
func (e *Engine) Sweep(ctx context.Context, budget Budget) (Swept, error) {
	var swept Swept
	due := e.opts.Now().Add(-e.opts.Grace)
	q := e.jobs().Where("wakeAt", "<=", due).OrderBy("wakeAt", firestore.Asc).Limit(sweepPage)
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
			job, err := e.decode(doc)
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
		// After the last one seen, not from the start: what was just queued
		// has left the index, and its old entries would be passed over again.
		page = q.StartAfter(docs[len(docs)-1])
	}
	return swept, errors.Join(failures...)
}

// longestRest is the most that Sweep waits before it queues a job again.
const longestRest = 5 * time.Minute

// overdue reports whether a job whose wakeAt is not after due has rested enough.
func (e *Engine) overdue(job Job, due time.Time) bool {
	now := e.opts.Now()
	return !job.State.Finished() && job.WakeAt != nil && !job.WakeAt.After(due) && !job.leased(now) &&
		(job.State != Queued || !now.Before(job.WakeAt.Add(e.rest(job.Sweeps))))
}

// rest is how far a queued job's wakeAt has to be passed after so many sweeps since
// its last step: its events are on their way, or it waits for its owner's turn, and
// each sweep makes another event.
func (e *Engine) rest(sweeps int) time.Duration {
	return min(e.opts.Grace<<max(0, min(sweeps, 10)), max(e.opts.Grace, longestRest))
}

// wake queues one job that is still due. A crash before the write leaves it to
// the next sweep; a twin of this sweep finds it queued.
func (e *Engine) wake(ctx context.Context, ref *firestore.DocumentRef, due time.Time, swept *Swept) error {
	ctx, cancel := context.WithTimeout(ctx, wakeTimeout)
	defer cancel()
	var woken, failed, newer int
	var kind string // of a job that is given up, and why
	var cause error
	var dead *Job // whose step has died
	err := e.client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		woken, failed, newer, kind, cause, dead = 0, 0, 0, "", nil, nil
		stored, err := e.read(tx, ref)
		if errors.Is(err, errNoJob) {
			failed, cause = 1, err
			return e.refuse(tx, ref, err)
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
			failed, kind, cause = 1, job.Kind, errStepsDie
		} else {
			woken = 1
			job.queue(e.opts.Now())
			job.Sweeps++
		}
		return e.put(ctx, tx, ref, job)
	})
	if err != nil {
		return err
	}
	if failed > 0 {
		e.gaveUp(ctx, ref.ID, kind, cause)
	}
	if dead != nil && failed == 0 {
		e.keepsFailing(ctx, *dead)
	}
	swept.Woken += woken
	swept.Failed += failed
	swept.Newer += newer
	return nil
}

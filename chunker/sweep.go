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

// Sweep queues the jobs whose wakeAt has passed by more than Options.Grace:
// those whose event was lost, or whose step died and nothing came to take over.
// The write emits the event that runs the next step. The grace leaves alone
// what has only just been queued and whose event is on its way.
//
// Call it every minute, from one place or several. It stops early, without an
// error, when the budget is spent; the next call goes on. It costs a read for
// each job that is due (at least one), and for each that it wakes another read
// and a write.
func (e *Engine) Sweep(ctx context.Context, budget Budget) (Swept, error) {
	var swept Swept
	due := e.opts.Now().Add(-e.opts.Grace)
	q := e.jobs().Where("wakeAt", "<=", due).OrderBy("wakeAt", firestore.Asc).Limit(sweepPage)
	page := q
	for budget.Left() > 0 {
		docs, err := page.Documents(ctx).GetAll()
		if err != nil {
			return swept, fmt.Errorf("sweep: %w", err)
		}
		for _, doc := range docs {
			swept.Due++
			if err := e.wake(ctx, doc.Ref, due, &swept); err != nil {
				return swept, fmt.Errorf("sweep: job %s: %w", doc.Ref.ID, err)
			}
		}
		if len(docs) < sweepPage {
			break
		}
		// After the last one seen, not from the start: what was just queued
		// has left the index, and its old entries would be passed over again.
		page = q.StartAfter(docs[len(docs)-1])
	}
	return swept, nil
}

// wake queues one job that is still due. A crash before the write leaves it to
// the next sweep; a twin of this sweep finds it queued.
func (e *Engine) wake(ctx context.Context, ref *firestore.DocumentRef, due time.Time, swept *Swept) error {
	var woken, failed, newer int
	var kind string // of a job that is given up, and why
	var cause error
	err := e.client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		woken, failed, newer, kind, cause = 0, 0, 0, "", nil
		stored, err := e.read(tx, ref)
		if errors.Is(err, errNoJob) {
			failed, cause = 1, err
			return tx.Update(ref, e.refused(err))
		}
		if errors.Is(err, ErrNewer) {
			newer++
			return nil
		}
		if err != nil || stored == nil {
			return err
		}
		job := *stored
		if job.State.Finished() || job.WakeAt == nil || job.WakeAt.After(due) {
			return nil
		}
		if job.State == Running && e.stepDied(&job) {
			failed, kind, cause = 1, job.Kind, errStepsDie
		} else {
			woken = 1
			job.queue(e.opts.Now())
		}
		return e.put(ctx, tx, ref, job)
	})
	if err != nil {
		return err
	}
	if failed > 0 {
		e.gaveUp(ctx, ref.ID, kind, cause)
	}
	swept.Woken += woken
	swept.Failed += failed
	swept.Newer += newer
	return nil
}

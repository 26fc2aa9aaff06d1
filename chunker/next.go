package chunker

import (
	"cmp"
	"context"
	"errors"
	"time"

	"cloud.google.com/go/firestore"
)

const (
	// nextJobs is the most of an owner's due jobs that a step looks at. All turns of an owner
	// may end at once, and each takes another job. Some may be of a newer release.
	nextJobs = 20
	// clockSkew is how far the clocks of two instances may differ: those of Google's
	// machines are within milliseconds.
	clockSkew = time.Second
)

// next claims the oldest due job of the owner whose turn was given back; nil: there is none. left is then the
// job that had a turn meanwhile without running: call next again. If the time is spent, next queues the oldest
// job again, and the new event finds the free turn. next leaves out the ended job: if that job continues, it
// has an event.
//
// After each step of a job with an owner, next costs a read for each due job, at least one and at most
// nextJobs. A crash or an error leaves the jobs to Sweep.
func (e *Engine) next(ctx context.Context, ended Job, budget Budget) (claimed, left *Job) {
	if !e.turns.counts(ended) {
		return nil, nil
	}
	due := e.Documents().
		Where("kind", "==", ended.Kind).Where("owner", "==", ended.Owner).Where("state", "==", Queued).
		Where("wakeAt", "<=", e.opts.Now().Add(clockSkew)).OrderBy("wakeAt", firestore.Asc).Limit(nextJobs)
	docs, err := due.Documents(ctx).GetAll()
	for _, doc := range docs {
		if doc.Ref.ID == ended.ID {
			continue
		}
		if budget.fits(0) {
			var turn *Job
			if claimed, turn, err = e.claim(ctx, doc.Ref.ID); claimed != nil {
				return claimed, nil
			}
			left = cmp.Or(turn, left)
		} else if err = e.queueAgain(ctx, doc); err == nil {
			return nil, nil
		}
		if err != nil && !changed(err) && !errors.Is(err, ErrNewer) {
			break
		}
		err = nil // another step has it, or it waits for another release
	}
	if err != nil {
		e.opts.Logger.WarnContext(ctx, "jobs of an owner wait for Sweep", keyKind, ended.Kind, keyError, err)
		return nil, nil
	}
	return nil, left
}

// queueAgain queues a due job as it is, for another event, if it is unchanged. The job goes
// to the end of its owner's line, so that steps that end at once queue different jobs.
func (e *Engine) queueAgain(ctx context.Context, doc *firestore.DocumentSnapshot) error {
	job, err := e.Decode(doc)
	if err != nil {
		return err
	}
	now := e.opts.Now()
	_, err = doc.Ref.Update(ctx, []firestore.Update{
		{Path: "hop", Value: job.Hop + 1}, {Path: "wakeAt", Value: now}, {Path: "sweepAt", Value: nil}, {Path: "updatedAt", Value: now},
	}, firestore.LastUpdateTime(doc.UpdateTime))
	return err
}

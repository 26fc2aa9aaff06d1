package chunker

import (
	"cmp"
	"context"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/jobs"
)

// Cancel stops a job, and the lanes of a parent. No step claims it again. A running step
// goes on until its time is spent or it renews its lease, unless its pages call
// [Engine.Held]. Then it writes nothing to the job; work that is already done stays.
//
// It returns the job, or ErrNotFound, ErrNewer, ErrLane, or ErrFinished if the job had
// ended.
func (e *Engine) Cancel(ctx context.Context, id string) (Job, error) {
	return e.control(ctx, id, func(job *Job) bool {
		if job.State.Finished() {
			return false
		}
		finish(job, Canceled, e.opts.Now())
		return true
	})
}

// Retry queues a failed or canceled job, to continue where it stopped, and clears its
// failures. Of a parent, it queues the failed and canceled lanes.
//
// It returns the job, or ErrNotFound, ErrNewer, ErrLane, ErrNotStopped for a job that
// is under way, or ErrFinished for a job that is done.
func (e *Engine) Retry(ctx context.Context, id string) (Job, error) {
	return e.control(ctx, id, func(job *Job) bool {
		if job.State != Failed && job.State != Canceled {
			return false
		}
		clearFailures(job)
		queue(job, e.opts.Now())
		return true
	})
}

// control applies change to a job, or to each lane of a parent. change reports whether
// it changed the job.
func (e *Engine) control(ctx context.Context, id string, change func(*Job) bool) (job Job, err error) {
	ref := e.Ref(id)
	if ref == nil {
		return Job{}, fmt.Errorf("job %q: %w", id, ErrNotFound)
	}
	err = e.client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		stored, err := e.read(tx, ref)
		if err != nil {
			return err
		}
		if stored == nil {
			return ErrNotFound
		}
		job = *stored
		if job.Lanes > 0 {
			return e.controlLanes(tx, ref, &job, change)
		}
		if job.Lane != nil {
			// The parent counts its unfinished lanes: a change to one lane alone would
			// make the count wrong.
			parent, err := e.parentOf(tx, id)
			if parent != nil || err != nil {
				return cmp.Or(err, ErrLane)
			}
		}
		if !change(&job) {
			return notChanged(job.State)
		}
		return e.put(ctx, tx, ref, job)
	})
	if err != nil {
		return Job{}, fmt.Errorf("job %q: %w", id, err)
	}
	return job, nil
}

// controlLanes applies change to the lanes of a parent. The parent is running while a
// lane is unfinished. Otherwise it is finished.
func (e *Engine) controlLanes(tx *firestore.Transaction, ref *firestore.DocumentRef, parent *Job, change func(*Job) bool) error {
	lanes, err := e.lanesOf(tx, *parent)
	if err != nil {
		return err
	}
	was := parent.State
	now, changed := e.opts.Now(), false
	if was.Finished() {
		parent.State, parent.FinishedAt, parent.ExpireAt, parent.Error = Running, nil, nil, nil
	}
	for n := range lanes {
		lane := &lanes[n]
		if !change(lane) {
			continue
		}
		changed = true
		lane.UpdatedAt = now
		addProgress(parent, lane)
		if lane.State.Finished() {
			e.recordCause(parent, *lane)
		}
		if err := tx.Update(e.Ref(lane.ID), jobs.Updates(*lane)); err != nil {
			return err
		}
	}
	if !changed && was.Finished() {
		return notChanged(was)
	}
	parent.LanesOpen = unfinished(lanes)
	switch {
	case parent.LanesOpen > 0:
	case len(lanes) < parent.Lanes: // missing and damaged lanes never report
		changed = change(parent) || changed
	default:
		e.finishParent(parent)
		changed = true
	}
	if !changed {
		return notChanged(was)
	}
	parent.UpdatedAt = now
	return tx.Update(ref, jobs.Updates(*parent))
}

// notChanged returns why a job in state s was not changed.
func notChanged(s State) error {
	if s.Finished() {
		return ErrFinished
	}
	return ErrNotStopped
}

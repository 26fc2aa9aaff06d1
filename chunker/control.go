package chunker

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"
)

// Cancel stops a job. No step claims it again. A running step continues until its time is spent or it renews
// its lease, unless its pages call [Engine.Held]. The step then writes nothing to the job; finished work
// stays.
//
// It returns the job, or ErrNotFound, ErrNewer, or ErrFinished if the job had ended.
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
// failures. A job that begins later ([Spec.At]) begins now.
//
// It returns the job, or ErrNotFound, ErrNewer, ErrNotStopped for a job that
// is under way, or ErrFinished for a job that is done.
func (e *Engine) Retry(ctx context.Context, id string) (Job, error) {
	return e.control(ctx, id, func(job *Job) bool {
		if job.State != Failed && job.State != Canceled && !job.Later() {
			return false
		}
		job.At = nil
		clearFailures(job)
		queue(job, e.opts.Now(), e.opts.Now())
		return true
	})
}

// control applies change to a job. change reports whether
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
		if !change(&job) {
			return notChanged(job.State)
		}
		return e.put(tx, ref, job)
	})
	if err != nil {
		return Job{}, fmt.Errorf("job %q: %w", id, err)
	}
	return job, nil
}

// notChanged returns why a job in state s was not changed.
func notChanged(s State) error {
	if s.Finished() {
		return ErrFinished
	}
	return ErrNotStopped
}

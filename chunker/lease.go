package chunker

import (
	"context"
	"fmt"
	"maps"
	"time"

	"cloud.google.com/go/firestore"
)

// saveTimeout bounds the write that ends a step. That write runs even if the handler's
// context has ended, because it makes the step's work count. It must fit the reserve of
// the step's [Budget].
const saveTimeout = 8 * time.Second

// lease gives the job to holder, for Options.Lease from now.
func (e *Engine) lease(job *Job, holder string) {
	until := e.opts.Now().Add(e.opts.Lease)
	job.Lease, job.WakeAt, job.SweepAt = &Lease{Holder: holder, Until: until}, &until, &until
}

// save writes the job at the end of its step, after change. If the stored lease belongs to another step, save
// returns ErrLeaseLost. It keeps the stored generation, because Enqueue may have set another meanwhile.
func (e *Engine) save(ctx context.Context, job Job, change func(*Job)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	ref := e.Ref(job.ID)
	err := e.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		stored, err := e.held(tx, ref, job.Lease.Holder)
		if err != nil {
			return err
		}
		saved := job
		saved.Generation, saved.At, saved.Args = stored.Generation, stored.At, stored.Args // Enqueue and Unnote may have written them
		change(&saved)
		return e.put(tx, ref, saved)
	})
	if err != nil {
		return fmt.Errorf("save job %s: %w", job.ID, err)
	}
	return nil
}

// held returns the stored job if holder has its lease, or else ErrLeaseLost.
func (e *Engine) held(tx *firestore.Transaction, ref *firestore.DocumentRef, holder string) (*Job, error) {
	stored, err := e.read(tx, ref)
	if err != nil {
		return nil, err
	}
	if stored == nil || stored.State != Running || stored.Lease == nil || stored.Lease.Holder != holder {
		return nil, ErrLeaseLost
	}
	return stored, nil
}

// finished ends the run. If the target has changed since the run began, it queues the next run. If the run has
// left work out, the next run waits.
func (e *Engine) finished(job *Job) {
	now := e.opts.Now()
	if job.Generation != job.RunGeneration {
		restart(job, job.Generation)
		queue(job, begins(*job, now), now)
		return
	}
	if job.Waits {
		restart(job, job.Generation)
		park(job)
		return
	}
	job.Args = maps.Clone(job.Args)
	delete(job.Args, e.tasks[job.Kind].Noted)
	finish(job, Done, now)
}

// discard deletes the document of a job whose target is gone. If the target has changed
// since the run began, it may exist again, so the job runs again.
//
// A crash before this write leaves a lease that runs out. The next step also finds that
// the target is gone.
func (e *Engine) discard(ctx context.Context, job Job) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	ref := e.Ref(job.ID)
	err := e.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		stored, err := e.held(tx, ref, job.Lease.Holder)
		if err != nil {
			return err
		}
		if stored.Generation != job.RunGeneration {
			e.finished(stored)
			return e.put(tx, ref, *stored)
		}
		return tx.Delete(ref)
	})
	if err != nil {
		return fmt.Errorf("discard job %s: %w", job.ID, err)
	}
	return nil
}

package chunker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"cloud.google.com/go/firestore"
)

// saveTimeout bounds the write that ends a step. It runs also when the
// handler's context is over, because it is what makes the step's work count.
const saveTimeout = 15 * time.Second

// claim gives the caller the lease of the job's next step. A nil Job without
// an error means that there is nothing to do.
func (e *Engine) claim(ctx context.Context, id string, hop int64) (*Job, error) {
	ref := e.jobs().Doc(id)
	holder := newHolder()
	var claimed *Job
	err := e.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		claimed = nil
		snap, err := tx.Get(ref)
		if status.Code(err) == codes.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		job, err := decode(snap)
		if err != nil {
			return Permanent(err)
		}
		now := e.opts.Now()
		switch {
		case job.State.Finished(), job.Hop > hop && job.State == Running:
			return nil
		case job.leased(now), job.State == Queued && job.WakeAt != nil && now.Before(*job.WakeAt):
			return ErrBusy
		case job.State == Running: // its step died: that counts, or a job that kills its step would run for ever
			job.Attempt++
		}
		if job.Attempt >= job.MaxAttempts {
			job.Error = failureOf(errors.New("chunker: steps end without progress"), now)
			job.finish(Failed, now, e.opts.Keep)
			return tx.Set(ref, job)
		}
		job.State, job.UpdatedAt = Running, now
		e.lease(&job, holder)
		claimed = &job
		// A crash right after this write leaves a lease that runs out: the
		// event is delivered again and takes over then.
		return tx.Set(ref, job)
	})
	if err != nil {
		return nil, fmt.Errorf("claim job %s: %w", id, err)
	}
	return claimed, nil
}

// lease makes holder the job's owner for the lease time from now.
func (e *Engine) lease(job *Job, holder string) {
	until := e.opts.Now().Add(e.opts.Lease)
	job.Lease, job.WakeAt = &Lease{Holder: holder, Until: until}, &until
}

// save replaces the job document with next(stored), provided that held's lease
// is still the stored one; otherwise it returns ErrLeaseLost. The stored job is
// given to next because Enqueue may have set another generation meanwhile.
//
// A crash before this write costs the page that it would have recorded; a
// crash after it costs nothing.
func (e *Engine) save(ctx context.Context, held Job, next func(stored Job) Job) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	ref := e.jobs().Doc(held.ID)
	err := e.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		snap, err := tx.Get(ref)
		if status.Code(err) == codes.NotFound {
			return ErrLeaseLost
		}
		if err != nil {
			return err
		}
		stored, err := decode(snap)
		if err != nil {
			return Permanent(err)
		}
		if stored.State != Running || stored.Lease == nil || stored.Lease.Holder != held.Lease.Holder {
			return ErrLeaseLost
		}
		job := next(stored)
		job.UpdatedAt = e.opts.Now()
		return tx.Set(ref, job)
	})
	if err != nil {
		return fmt.Errorf("save job %s: %w", held.ID, err)
	}
	return nil
}

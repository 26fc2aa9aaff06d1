package chunker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
)

// keepLease renews the job's lease while a step runs, after two thirds of the lease. A lease outlasts a usual
// step, so only a step with a longer page renews. A renewal costs a read and a write for each third of a
// lease, and its event has nothing to do. So no other step takes over from a live step, or counts it as dead.
//
// If the lease is lost nevertheless, keepLease cancels its returned context with ErrLeaseLost, because another
// step does the same work. release returns when no renewal is under way.
func (e *Engine) keepLease(ctx context.Context, job Job) (held context.Context, release func()) {
	held, lost := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	every := e.opts.Lease / 3
	go func() {
		defer close(ended)
		for pause := 2 * every; wait(held, pause); pause = every {
			err := e.renew(held, job, every)
			if errors.Is(err, ErrLeaseLost) {
				lost(err)
				return
			}
			if err != nil && held.Err() == nil { // the next may succeed
				e.opts.Logger.WarnContext(held, "lease not renewed", keyJob, job.ID, keyKind, job.Kind, keyError, err)
			}
		}
	}()
	return held, func() {
		lost(nil)
		<-ended
	}
}

// renew extends a lease that the step still holds. A crash before or after this write
// leaves a lease that runs out. After the step has ended or was taken over, a late
// renewal finds another lease and writes nothing.
func (e *Engine) renew(ctx context.Context, job Job, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ref := e.Ref(job.ID)
	err := e.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if _, err := e.held(tx, ref, job.Lease.Holder); err != nil {
			return err
		}
		now := e.opts.Now()
		until := now.Add(e.opts.Lease)
		return tx.Update(ref, []firestore.Update{
			{Path: "lease.until", Value: until}, {Path: "wakeAt", Value: until}, {Path: "sweepAt", Value: until}, {Path: "updatedAt", Value: now},
		})
	})
	if err != nil {
		return fmt.Errorf("renew the lease of job %s: %w", job.ID, err)
	}
	return nil
}

package chunker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
)

// keepLease renews the job's lease while a page runs, so that nobody takes over
// from a step that is alive, or counts it as dead: each third of a lease a read
// and a write, whose event ends at once. Where the lease is lost all the same,
// lost ends the page: its work would be done twice. The stop that it returns comes
// back when no renewal is under way.
func (e *Engine) keepLease(ctx context.Context, job Job, lost context.CancelCauseFunc) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	every := e.opts.Lease / 3
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			err := e.renew(ctx, job, every)
			if errors.Is(err, ErrLeaseLost) {
				lost(err)
				return
			}
			if err != nil && ctx.Err() == nil { // the next may succeed: there are two before the lease runs out
				e.opts.Logger.WarnContext(ctx, "lease not renewed", keyJob, job.ID, keyKind, job.Kind, keyError, err)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// renew moves the end of a lease that is still the job's. A crash before or after
// this write leaves a lease that runs out; one that comes when the step has ended,
// or was taken over, finds another lease.
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
			{Path: "lease.until", Value: until}, {Path: "wakeAt", Value: until}, {Path: "updatedAt", Value: now},
		})
	})
	if err != nil {
		return fmt.Errorf("renew the lease of job %s: %w", job.ID, err)
	}
	return nil
}

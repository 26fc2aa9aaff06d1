package chunker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
)

// keepLease renews the job's lease while a page runs. So no other step takes over from
// a live step, or counts it as dead. Each third of a lease costs a read and a write,
// whose event ends at once. If the lease is lost nevertheless, keepLease calls lost to
// end the page, because another step does the same work. stop returns when no renewal
// is under way.
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
			if err != nil && ctx.Err() == nil { // the next may succeed: a lease fits two
				e.opts.Logger.WarnContext(ctx, "lease not renewed", keyJob, job.ID, keyKind, job.Kind, keyError, err)
			}
		}
	}()
	return func() {
		cancel()
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
			{Path: "lease.until", Value: until}, {Path: "wakeAt", Value: until}, {Path: "updatedAt", Value: now},
		})
	})
	if err != nil {
		return fmt.Errorf("renew the lease of job %s: %w", job.ID, err)
	}
	return nil
}

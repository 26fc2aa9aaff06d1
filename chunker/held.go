package chunker

import (
	"context"

	"cloud.google.com/go/firestore"
)

// Held returns ErrLeaseLost unless the step that called the page still holds the lease
// of job. If Held returns nil, no other step had the job during the page's earlier
// reads. It costs a read.
func (e *Engine) Held(ctx context.Context, job Job) error {
	snaps, err := e.client.GetAll(ctx, []*firestore.DocumentRef{e.Ref(job.ID)})
	if err != nil {
		return err
	}
	if holder, _ := snaps[0].DataAt("lease.holder"); job.Lease == nil || holder != job.Lease.Holder {
		return ErrLeaseLost
	}
	return nil
}

// HeldIn is Held in a transaction, which commits only while the step holds the lease.
func (e *Engine) HeldIn(tx *firestore.Transaction, job Job) error {
	if job.Lease == nil {
		return ErrLeaseLost
	}
	_, err := e.held(tx, e.Ref(job.ID), job.Lease.Holder)
	return err
}

package chunker

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
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

// DeleteIn is Delete in a transaction.
func (e *Engine) DeleteIn(tx *firestore.Transaction, id string) error {
	snaps, err := tx.GetAll([]*firestore.DocumentRef{e.Ref(id)})
	if err != nil || !snaps[0].Exists() {
		return err
	}
	for _, ref := range append(e.laneRefs(e.Show(snaps[0])), e.Ref(id)) {
		if err := tx.Delete(ref); err != nil {
			return err
		}
	}
	return nil
}

// redacted replaces the text of an error.
const redacted = "(removed: it named an account that is deleted)"

// Redact removes error texts for which names returns true, from jobs that are not done.
// Failed and canceled jobs stay until an operator decides. So does a job that waits for
// a retry, if it is canceled.
//
// Redact costs a read for each job that is running, failed or canceled, and one for
// each job that has failed since its last page: at least two. Each removed text costs
// another read and a write.
//
// A crash leaves texts: call Redact again. It misses a text that a step writes after
// the call.
func (e *Engine) Redact(ctx context.Context, names func(text string) bool) error {
	// A queued job has an error only if it has attempts, because forgive clears both.
	for _, jobs := range []firestore.Query{
		e.jobs().Where("state", "in", []State{Running, Failed, Canceled}), e.jobs().Where("attempt", ">", 0),
	} {
		if err := e.redact(ctx, jobs, names); err != nil {
			return err
		}
	}
	return nil
}

// redact does what Redact does, for the jobs of one query.
func (e *Engine) redact(ctx context.Context, of firestore.Query, names func(text string) bool) error {
	named := func(job *firestore.DocumentSnapshot) bool {
		message, _ := job.DataAt("error.message")
		text, _ := message.(string)
		return names(text)
	}
	jobs := of.Select("error").Documents(ctx)
	defer jobs.Stop()
	for {
		job, err := jobs.Next()
		if errors.Is(err, iterator.Done) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list jobs that are not done: %w", err)
		}
		if !named(job) {
			continue
		}
		err = e.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			now, err := tx.Get(job.Ref)
			if status.Code(err) == codes.NotFound || err == nil && !named(now) {
				return nil
			}
			if err != nil {
				return err
			}
			return tx.Update(job.Ref, []firestore.Update{{Path: "error.message", Value: redacted}})
		})
		if err != nil {
			return fmt.Errorf("job %s: %w", job.Ref.ID, err)
		}
	}
}

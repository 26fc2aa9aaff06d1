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

// Held returns ErrLeaseLost unless the step that a page was called by still has
// the lease of job: whatever the page had read before is what its step was to work
// on. It costs a read.
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

// HeldIn is Held in a transaction: its commit is the step's, or none.
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

// redacted stands for the text of an error that is removed.
const redacted = "(removed: it named an account that is deleted)"

// Redact removes, from jobs that are not done, the texts of errors for which names is
// true: those that have failed or were canceled stay until a person decides, and so
// does one that waits to try again, if it is canceled. It costs a read for each job that
// is running, has failed or was canceled, one for each that has failed since its last
// page, and at least two; and another with a write for each text.
//
// A crash leaves texts: call it again. A text that a step writes after it has been
// called is not found.
func (e *Engine) Redact(ctx context.Context, names func(text string) bool) error {
	// A job that is queued has an error only where it has attempts: what forgets the
	// one forgets the other.
	for _, jobs := range []firestore.Query{
		e.jobs().Where("state", "in", []State{Running, Failed, Canceled}), e.jobs().Where("attempt", ">", 0),
	} {
		if err := e.redact(ctx, jobs, names); err != nil {
			return err
		}
	}
	return nil
}

// redact is Redact of some jobs.
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

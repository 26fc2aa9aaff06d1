package chunker

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"
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

// Redact removes, from jobs that have failed or were canceled, the texts of errors
// for which names is true: those jobs stay until a person decides. It costs a
// read for each such job, and a write for each text.
func (e *Engine) Redact(ctx context.Context, names func(text string) bool) error {
	docs, err := e.jobs().Where("state", "in", []State{Failed, Canceled}).Select("error").Documents(ctx).GetAll()
	if err != nil {
		return fmt.Errorf("list failed jobs: %w", err)
	}
	for _, doc := range docs {
		message, _ := doc.DataAt("error.message")
		text, _ := message.(string)
		if !names(text) {
			continue
		}
		_, err := doc.Ref.Update(ctx, []firestore.Update{{Path: "error.message", Value: redacted}}, firestore.LastUpdateTime(doc.UpdateTime))
		if code := status.Code(err); err != nil && code != codes.FailedPrecondition && code != codes.NotFound {
			return fmt.Errorf("job %s: %w", doc.Ref.ID, err)
		}
	}
	return nil
}

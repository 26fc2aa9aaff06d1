package chunker

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker/jobdocs"
)

// Enqueue makes sure that a job covers the target's generation. It costs one read, and
// one write if it changes something. It depends on the document that it finds:
//
//   - no job, or a document that is no job: it writes a job, queued;
//   - the same generation: it changes nothing, whatever the job's state;
//   - another generation, a finished job: it queues the job again;
//   - another generation, an unfinished job: the job starts over when its current run
//     ends. If it waits for a retry, it continues at once. Nothing changes if the run
//     has not begun, or if the job starts over anyway;
//   - another generation, a job that waits ([Job.Waiting]): it runs for that generation at once;
//   - another generation, a job that begins later ([Spec.At]): it changes nothing;
//   - an ordered generation: a lower one changes nothing, and a higher one is always
//     stored (see [Spec.Ordered]);
//   - another generation, an unfinished job of a newer release: it returns ErrNewer.
//     Return an error for the event, so that it is delivered again.
//
// If Enqueue returns nil, the work is durable. You may call it twice and at once. It
// takes a lock only for a job that it cannot decode, and after ten
// conflicts. So instances that find the same work do not block each other.
func (e *Engine) Enqueue(ctx context.Context, s Spec) error {
	ref := e.Ref(s.ID)
	if ref == nil {
		return Permanent(fmt.Errorf("enqueue %q: not a document id", s.ID))
	}
	for range claimTries {
		known, err := e.enqueueOnce(ctx, ref, s)
		switch {
		case changed(err), status.Code(err) == codes.AlreadyExists:
			continue
		case err != nil:
			return fmt.Errorf("enqueue job %s: %w", s.ID, err)
		case known:
			return nil
		}
		break
	}
	return e.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error { return e.EnqueueIn(tx, s) })
}

// EnqueueIn is [Engine.Enqueue] in a transaction that has written nothing yet: the job is there if and only if the
// transaction commits.
func (e *Engine) EnqueueIn(tx *firestore.Transaction, s Spec) error {
	ref := e.Ref(s.ID)
	if ref == nil {
		return Permanent(fmt.Errorf("enqueue %q: not a document id", s.ID))
	}
	err := e.enqueueIn(tx, ref, s)
	if err != nil {
		err = fmt.Errorf("enqueue job %s: %w", s.ID, err)
	}
	return err
}

func (e *Engine) enqueueIn(tx *firestore.Transaction, ref *firestore.DocumentRef, s Spec) error {
	stored, err := e.read(tx, ref)
	switch {
	case errors.Is(err, jobdocs.ErrNotJob):
		// A document that is no job must not prevent the work.
		return tx.Set(ref, e.newRun(Job{CreatedAt: e.opts.Now()}, s))
	case err != nil && !errors.Is(err, ErrNewer):
		return err
	case stored != nil && covers(*stored, s):
		return nil
	case err != nil && !stored.State.Finished():
		return err
	case stored == nil:
		return tx.Create(ref, e.newRun(Job{CreatedAt: e.opts.Now()}, s))
	case stored.State.Finished():
		return tx.Set(ref, e.newRun(*stored, s))
	default:
		return tx.Update(ref, e.startOver(*stored, s))
	}
}

// enqueueOnce tries once to enqueue a job. It reads the job, and writes
// if the job is unchanged. known is false if only the transaction can decide.
//
// A crash before the write leaves the event, which comes again. A crash after the write
// leaves a job.
func (e *Engine) enqueueOnce(ctx context.Context, ref *firestore.DocumentRef, s Spec) (known bool, err error) {
	snaps, err := e.client.GetAll(ctx, []*firestore.DocumentRef{ref})
	if err != nil {
		return false, err
	}
	if !snaps[0].Exists() {
		_, err = ref.Create(ctx, e.newRun(Job{CreatedAt: e.opts.Now()}, s))
		return true, err
	}
	stored, err := e.Decode(snaps[0])
	switch {
	case err != nil:
		return false, nil //nolint:nilerr // the transaction says what becomes of it
	case covers(stored, s):
		return true, nil
	}
	updates := e.startOver(stored, s)
	if stored.State.Finished() {
		updates = jobdocs.Updates(e.newRun(stored, s))
	}
	_, err = ref.Update(ctx, updates, firestore.LastUpdateTime(snaps[0].UpdateTime))
	return true, err
}

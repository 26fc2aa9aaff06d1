package chunker

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Spec describes a job.
type Spec struct {
	// ID is the job's document id. Derive it from the target, so that a duplicate event
	// finds the same job. It must not end like a lane's id, in ~ and two digits: see
	// [MaxLanes].
	ID   string
	Kind string
	// Collection, Field and Value are for a task that uses [Job.Query]: a collection,
	// and the value that one of its fields must equal. With Field "", the task gets all
	// documents.
	Collection string
	Field      string
	Value      any
	Args       map[string]string
	// Generation names the state of the target that the job must cover: an update time,
	// a version. It is compared for equality only. Enqueue leaves a job alone that has
	// covered it, or is about to.
	Generation string
	// Splits cut the walk into lanes, jobs that run at once. They are the ids of the
	// documents that begin the second and each later lane, in ascending order. The job
	// becomes the lanes' parent, and shows their sum.
	//
	// Use them only if the task's pages keep to the job's Lane. Those of Walk do, over
	// documents of one collection.
	Splits []string
	// Owner groups the jobs that share turns: see Options.Turns.
	Owner string
	// Private removes Args and Value from the document of a done job. Set it if they
	// identify a person who asked to be forgotten.
	Private bool
	EventID string // for tracing
}

// Enqueue makes sure that a job covers the target's generation. It costs one read, and
// one write if it changes something. It depends on the document that it finds:
//
//   - no job, or a document that is no job: it writes a job, queued;
//   - the same generation: it changes nothing, whatever the job's state;
//   - another generation, a finished job: it queues the job again;
//   - another generation, an unfinished job: the job starts over when its current run
//     ends. If it waits for a retry, it continues at once. Nothing changes if the run
//     has not begun, or if the job starts over anyway;
//   - another generation, an unfinished job of a newer release: it returns ErrNewer.
//     Return an error for the event, so that it is delivered again.
//
// Splits add the same costs for each lane.
//
// If Enqueue returns nil, the work is durable. You may call it twice and at once. It
// takes a lock only for lanes, for a job that it cannot decode, and after ten
// conflicts. So instances that find the same work do not block each other.
func (e *Engine) Enqueue(ctx context.Context, s Spec) error {
	ref := e.Ref(s.ID)
	if ref == nil {
		return Permanent(fmt.Errorf("enqueue %q: not a document id", s.ID))
	}
	for try := 0; len(s.Splits) == 0 && try < claimTries; try++ {
		known, err := e.enqueueOnce(ctx, ref, s)
		switch code := status.Code(err); {
		case code == codes.FailedPrecondition, code == codes.NotFound, code == codes.AlreadyExists:
			continue // changed since it was read
		case err != nil:
			return fmt.Errorf("enqueue job %s: %w", s.ID, err)
		case known:
			return nil
		}
		break
	}
	err := e.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		stored, err := e.read(tx, ref)
		switch {
		case errors.Is(err, errNoJob):
			// A document that is no job must not prevent the work.
			return tx.Set(ref, e.fresh(Job{CreatedAt: e.opts.Now()}, s))
		case err != nil && !errors.Is(err, ErrNewer):
			return err
		case stored != nil && stored.covers(s):
			return nil
		case err != nil && !stored.State.Finished():
			return err
		case len(s.Splits) > 0, stored != nil && stored.Lanes > 0 && !stored.State.Finished():
			return e.enqueueLanes(tx, ref, stored, s)
		case stored == nil:
			return tx.Create(ref, e.fresh(Job{CreatedAt: e.opts.Now()}, s))
		case stored.State.Finished():
			return tx.Set(ref, e.fresh(*stored, s))
		default:
			return tx.Update(ref, e.startOver(*stored, s))
		}
	})
	if err != nil {
		return fmt.Errorf("enqueue job %s: %w", s.ID, err)
	}
	return nil
}

// enqueueOnce tries once to enqueue a job without lanes. It reads the job, and writes
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
		_, err = ref.Create(ctx, e.fresh(Job{CreatedAt: e.opts.Now()}, s))
		return true, err
	}
	stored, err := e.decode(snaps[0])
	switch {
	case err != nil:
		return false, nil //nolint:nilerr // the transaction says what becomes of it
	case stored.covers(s):
		return true, nil
	case stored.Lanes > 0:
		return false, nil
	}
	updates := e.startOver(stored, s)
	if stored.State.Finished() {
		updates = e.fresh(stored, s).updates()
	}
	_, err = ref.Update(ctx, updates, firestore.LastUpdateTime(snaps[0].UpdateTime))
	return true, err
}

// covers reports whether there is nothing to enqueue for s. Either the job covers the
// generation of s, or a run that begins later will read the current state.
func (j Job) covers(s Spec) bool {
	if j.Generation == s.Generation {
		return true
	}
	if j.Newer() || j.State.Finished() || len(s.Splits) > 0 || j.Lanes > 0 || j.Lane != nil {
		return false
	}
	begun := j.State != Queued || j.Phase > 0 || j.LastDoc != nil || j.Done > 0
	return !begun || j.Generation != j.RunGeneration
}

// startOver returns the updates that make an unfinished job run again for s when its
// current run ends. A job that waits for a retry continues at once, because the retry
// may not help and the new work does not wait. This happens at most once in each run:
// see covers.
func (e *Engine) startOver(stored Job, s Spec) []firestore.Update {
	now := e.opts.Now()
	updates := []firestore.Update{
		{Path: "generation", Value: s.Generation},
		{Path: "updatedAt", Value: now},
	}
	if stored.retries() {
		updates = append(updates, firestore.Update{Path: "wakeAt", Value: now}, firestore.Update{Path: "hop", Value: stored.Hop + 1})
	}
	return updates
}

// read returns a job in a transaction; nil if there is none. With an error of decode,
// it also returns the Job that decode returns.
func (e *Engine) read(tx *firestore.Transaction, ref *firestore.DocumentRef) (*Job, error) {
	snap, err := tx.Get(ref)
	if status.Code(err) == codes.NotFound {
		return nil, nil //nolint:nilnil // a missing job is an answer, not an error
	}
	if err != nil {
		return nil, err
	}
	job, err := e.decode(snap)
	return &job, err
}

// fresh returns job, ready for a first run of s. Hop and CreatedAt stay, and Counts if
// [Task.Receipt] keeps them.
func (e *Engine) fresh(job Job, s Spec) Job {
	now, counts := e.opts.Now(), job.Counts
	ended := e.tasks[s.Kind].Receipt && (job.State == Failed || job.State == Canceled)
	job.Kind, job.Args, job.EventID, job.Private = s.Kind, s.Args, s.EventID, s.Private
	job.Schema = e.tasks[s.Kind].schema()
	job.Collection, job.Field, job.Value = s.Collection, s.Field, s.Value
	job.Owner, job.Sweeps = s.Owner, 0
	job.Phases = len(e.tasks[s.Kind].Phases)
	job.Chunk = e.opts.Chunk
	job.MaxAttempts = 0
	job.forgive()
	job.Lanes, job.LanesOpen = 0, 0
	job.restart(s.Generation)
	if ended {
		job.Counts = counts
	}
	job.queue(now)
	job.UpdatedAt = now
	return job
}

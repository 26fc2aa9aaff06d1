package chunker

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Spec says what a job is to do.
type Spec struct {
	// ID is the job's document id. Make it from the target, so that a
	// duplicate event finds the job there. It must not end as a lane's does, in
	// ~ and two digits: see [MaxLanes].
	ID   string
	Kind string
	// Collection, Field and Value, for a task that takes its documents from
	// [Job.Query]: a collection, and what one of its fields must be equal to
	// ("": all documents).
	Collection string
	Field      string
	Value      any
	Args       map[string]string
	// Generation names the state of the target that the job has to cover: an
	// update time, a version. Compared for equality only. A job that has
	// covered it, or is about to, is left alone.
	Generation string
	// Splits cut the walk into lanes, jobs that run at once: the ids, in
	// ascending order, of the documents that begin the second lane and those
	// after it. The job becomes their parent and shows their sum. Only for
	// tasks whose pages keep to the job's Lane, as those of Walk do over
	// documents of one collection.
	Splits []string
	// Owner is whose turns the job takes, where Options.Turns bounds them.
	Owner string
	// Private removes Args and Value from the job document when it is done:
	// they name somebody who has asked to be forgotten.
	Private bool
	EventID string // for tracing
}

// Enqueue makes sure that a job covers the target's generation. It costs one
// read, and one write unless a run that is still to begin covers it:
//
//   - no job: it is created, queued;
//   - the same generation: nothing, whatever the job's state;
//   - another generation, unfinished: nothing if the job has begun with no document
//     yet, or starts over anyway; otherwise it starts over before it ends, and does not
//     wait for its retry time;
//   - another generation, finished: the job is queued again;
//   - another generation, an unfinished job of a newer release: ErrNewer. Answer
//     the event with an error so that it is delivered again.
//
// With Splits it costs the same for each lane in addition.
//
// When it returns nil the work is durable. It may be called twice and at once: it
// takes no lock, but for lanes, so that instances which find the same work are not
// in each other's way.
func (e *Engine) Enqueue(ctx context.Context, s Spec) error {
	ref := e.Ref(s.ID)
	if ref == nil {
		return Permanent(fmt.Errorf("enqueue %q: not a document id", s.ID))
	}
	for try := 0; len(s.Splits) == 0 && try < claimTries; try++ {
		known, err := e.enqueueOnce(ctx, ref, s)
		switch code := status.Code(err); {
		case code == codes.FailedPrecondition, code == codes.NotFound, code == codes.AlreadyExists:
			continue // written since it was read
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
			// Somebody else's document must not keep the work from being done.
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

// enqueueOnce is one try to enqueue a job without lanes: it reads, and writes if the
// job is as it was read. What it does not know it leaves to the transaction.
//
// A crash before the write leaves the event, which comes again; after it, a job.
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

// covers says that there is nothing to enqueue for s: the job covers its generation,
// or a run that begins after this moment will read what there is now.
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

// startOver has an unfinished job, as it is stored, run again for s when this run
// ends. One that waits for its retry time goes on at once: the retry may not help, and
// what is new does not wait for it. It is once for each run: see covers.
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

// read is a job in a transaction; nil if there is none. Its errors are those of
// decode, with what decode returns.
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

// fresh is job made ready for a first run of s. Hop and CreatedAt stay.
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

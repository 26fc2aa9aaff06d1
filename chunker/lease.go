package chunker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// saveTimeout bounds the write that ends a step. It runs also when the
// handler's context is over, because it is what makes the step's work count: it
// fits the reserve of the step's [Budget].
const saveTimeout = 8 * time.Second

// claimTries is how often a claim looks again because the job was written since
// it looked. Whoever wrote it has claimed it, most likely.
const claimTries = 10

// claim gives the caller the lease of the job's next step. A nil Job without
// an error means that there is nothing to do.
//
// It takes no lock: it reads, and writes if the job is as it was read. Events
// of a job come by the dozen, all when its lease runs out; in transactions they
// would all hold the lock that each of them waits for.
func (e *Engine) claim(ctx context.Context, id string, hop int64) (*Job, error) {
	ref, holder := e.Ref(id), ""
	for range claimTries {
		job, err := e.claimOnce(ctx, ref, hop, &holder)
		if code := status.Code(err); code == codes.FailedPrecondition || code == codes.NotFound {
			continue // written or deleted since it was read, perhaps by ourselves, and the answer lost
		}
		if err != nil {
			return nil, fmt.Errorf("claim job %s: %w", id, err)
		}
		return job, nil
	}
	return nil, fmt.Errorf("claim job %s: %w", id, ErrBusy)
}

// claimOnce is one try; FailedPrecondition or NotFound says that the job has
// been written since it was read. A try that writes sets holder to that of the lease,
// by which the next one knows it.
func (e *Engine) claimOnce(ctx context.Context, ref *firestore.DocumentRef, hop int64, holder *string) (claimed *Job, err error) {
	snaps, err := e.client.GetAll(ctx, []*firestore.DocumentRef{ref})
	if err != nil || !snaps[0].Exists() {
		return nil, err
	}
	job, err := e.decode(snaps[0])
	if errors.Is(err, errNoJob) && job.State.Finished() {
		return nil, nil //nolint:nilnil // it has been refused
	}
	if errors.Is(err, errNoJob) {
		failure := e.unchanged(ctx, snaps[0], func(_ context.Context, tx *firestore.Transaction) error { return e.refuse(tx, ref, err) })
		if failure != nil {
			return nil, failure
		}
		e.gaveUp(ctx, ref.ID, "", err)
		return nil, nil //nolint:nilnil // as above: nothing to do
	}
	if err != nil {
		return nil, err
	}
	now := e.opts.Now()
	switch {
	case job.State.Finished(), job.Lanes > 0:
		return nil, nil //nolint:nilnil // nothing to do
	case job.State == Running && job.Lease != nil && *holder != "" && job.Lease.Holder == *holder:
		// An earlier try was written, and the answer lost. There may be no turn by now:
		// the job is queued again when its lease has run out.
		if !e.turns.take(job) {
			return nil, ErrBusy
		}
		return &job, nil
	case job.leased(now), job.waits(now):
		if job.Hop > hop {
			return nil, nil //nolint:nilnil // a write since then has an event of its own, which waits
		}
		return nil, ErrBusy
	}
	if !e.turns.take(job) {
		if job.Hop > hop {
			return nil, nil //nolint:nilnil // as above: or a job that waits long would have an event more for each sweep
		}
		return nil, ErrBusy
	}
	defer func() {
		if claimed == nil {
			e.turns.leave(job)
		}
	}()
	died := job.State == Running
	if died && e.stepDied(&job) {
		bury := func(ctx context.Context, tx *firestore.Transaction) error { return e.put(ctx, tx, ref, job) }
		if err := e.unchanged(ctx, snaps[0], bury); err != nil {
			return nil, err
		}
		e.gaveUp(ctx, job.ID, job.Kind, errStepsDie)
		return nil, nil //nolint:nilnil // as above
	}
	e.adopt(&job)
	job.State, job.UpdatedAt, job.Sweeps = Running, now, 0
	*holder = newHolder()
	e.lease(&job, *holder)
	// A crash right after this write leaves a lease that runs out: the event is
	// delivered again, or Sweep comes, and takes over then.
	if _, err := ref.Update(ctx, job.updates(), firestore.LastUpdateTime(snaps[0].UpdateTime)); err != nil {
		return nil, err
	}
	if died {
		e.keepsFailing(ctx, job)
	}
	return &job, nil
}

// adopt makes a job of an earlier schema one of this release's: what its phase
// and cursor mean there is not known here, so it starts over. Tasks are
// idempotent, so that costs work and nothing else.
func (e *Engine) adopt(job *Job) {
	task, ok := e.tasks[job.Kind]
	if !ok || job.Schema >= task.schema() {
		return
	}
	counts := job.Counts
	job.restart(job.Generation)
	if task.Receipt {
		job.Counts = counts
	}
	job.Schema, job.Phases = task.schema(), len(task.Phases)
	job.forgive()
}

// unchanged calls write in a transaction if the job is as it was read:
// FailedPrecondition, or NotFound, otherwise. What ends a lane is for its parent to
// know in the same commit.
func (e *Engine) unchanged(ctx context.Context, was *firestore.DocumentSnapshot, write func(context.Context, *firestore.Transaction) error) error {
	return e.client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		snap, err := tx.Get(was.Ref)
		if err != nil {
			return err
		}
		if !snap.UpdateTime.Equal(was.UpdateTime) {
			return status.Error(codes.FailedPrecondition, "the job has been written")
		}
		return write(ctx, tx)
	})
}

// Concerns reports whether the event of a write that left the job as it is
// given (State, Lease, Lanes and Attempt matter; without Attempt it may say so too
// early) may have a step to run. The writes that
// a step makes while it runs have none: their events need not call Run.
func (e *Engine) Concerns(job Job) bool {
	return !job.State.Finished() && job.Lanes == 0 && !job.leased(e.opts.Now())
}

// stepDied counts the death of a step as an attempt, or a job that kills its
// step would run for ever. It reports whether that was the last: then the job
// has failed.
func (e *Engine) stepDied(job *Job) (failed bool) {
	if !e.setback(job, errStepsDie) {
		return false
	}
	job.finish(Failed, e.opts.Now())
	return true
}

// refuse fails a document that is no job, in the transaction that has read it. Its
// other fields stay, for a person to see. A lane's parent does not wait for it any
// longer, and fails when the others have ended.
func (e *Engine) refuse(tx *firestore.Transaction, ref *firestore.DocumentRef, cause error) error {
	now := e.opts.Now()
	failure := failureOf(cause, now)
	failure.Code = codes.InvalidArgument.String()
	parent, err := e.parentOf(tx, ref.ID)
	if err != nil {
		return err
	}
	if parent != nil && !parent.State.Finished() {
		lanes, err := e.lanesOf(tx, *parent)
		if err != nil {
			return err
		}
		parent.LanesOpen, parent.UpdatedAt = unfinished(lanes), now
		e.blame(parent, Job{ID: ref.ID, State: Failed, Error: failure})
		e.settle(parent)
		if err := tx.Update(e.Ref(parent.ID), parent.updates()); err != nil {
			return err
		}
	}
	return tx.Update(ref, []firestore.Update{
		{Path: "state", Value: Failed}, {Path: "error", Value: failure},
		{Path: "lease", Value: nil}, {Path: "wakeAt", Value: nil},
		{Path: "finishedAt", Value: now}, {Path: "expireAt", Value: nil},
	})
}

// lease makes holder the job's owner for the lease time from now.
func (e *Engine) lease(job *Job, holder string) {
	until := e.opts.Now().Add(e.opts.Lease)
	job.Lease, job.WakeAt = &Lease{Holder: holder, Until: until}, &until
}

// save replaces the job document with the job as change leaves it, provided
// that the job's lease is still the stored one; otherwise it returns
// ErrLeaseLost. It returns what it wrote. The generation is the stored one:
// Enqueue may have set another meanwhile.
//
// A crash before this write costs the page that it would have recorded; a
// crash after it costs nothing.
func (e *Engine) save(ctx context.Context, job Job, change func(*Job)) (saved Job, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	if after := job; job.Lane != nil {
		if change(&after); after.State != Running {
			// It writes its parent too, as the other lanes do. Those of this
			// process take turns, rather than abort each other, while there is time.
			turn := time.NewTimer(saveTimeout / 2)
			defer turn.Stop()
			select {
			case e.reports <- struct{}{}:
				defer func() { <-e.reports }()
			case <-turn.C:
			}
		}
	}
	ref := e.Ref(job.ID)
	err = e.client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		stored, err := e.held(tx, ref, job.Lease.Holder)
		if err != nil {
			return err
		}
		saved = job
		saved.Generation = stored.Generation
		change(&saved)
		return e.put(ctx, tx, ref, saved)
	})
	if err != nil {
		return Job{}, fmt.Errorf("save job %s: %w", job.ID, err)
	}
	return saved, nil
}

// held is the stored job, provided that holder has its lease.
func (e *Engine) held(tx *firestore.Transaction, ref *firestore.DocumentRef, holder string) (*Job, error) {
	stored, err := e.read(tx, ref)
	if err != nil {
		return nil, err
	}
	if stored == nil || stored.State != Running || stored.Lease == nil || stored.Lease.Holder != holder {
		return nil, ErrLeaseLost
	}
	return stored, nil
}

// discard deletes the document of a job whose target is gone. Where the target
// has changed since the run began, it may be there again: the job runs again.
//
// A crash before this write leaves a lease that runs out; the next step finds
// the target gone too.
func (e *Engine) discard(ctx context.Context, job Job) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	ref := e.Ref(job.ID)
	err := e.client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		stored, err := e.held(tx, ref, job.Lease.Holder)
		if err != nil {
			return err
		}
		if stored.Generation != job.RunGeneration {
			e.finished(stored)
			return e.put(ctx, tx, ref, *stored)
		}
		return tx.Delete(ref)
	})
	if err != nil {
		return fmt.Errorf("discard job %s: %w", job.ID, err)
	}
	return nil
}

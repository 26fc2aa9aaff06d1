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

// saveTimeout bounds the write that ends a step. That write runs even if the handler's
// context has ended, because it makes the step's work count. It must fit the reserve of
// the step's [Budget].
const saveTimeout = 8 * time.Second

// claimTries is the most tries of a claim, because others may write the job meanwhile.
// Another writer has most likely claimed the job. Enqueue uses it too.
const claimTries = 10

// claim gives the caller the lease of the job's next step. A nil Job without an error
// means that there is nothing to do.
//
// claim takes no lock: it reads the job, and writes if the job is unchanged. When a
// lease runs out, events of the job come by the dozen. In transactions, all of them
// would hold the lock that each of them waits for.
func (e *Engine) claim(ctx context.Context, id string, hop int64) (*Job, error) {
	ref, holder := e.Ref(id), ""
	for range claimTries {
		job, err := e.claimOnce(ctx, ref, hop, &holder)
		if code := status.Code(err); code == codes.FailedPrecondition || code == codes.NotFound {
			continue // changed since the read, perhaps by our own write
		}
		if err != nil {
			return nil, fmt.Errorf("claim job %s: %w", id, err)
		}
		return job, nil
	}
	return nil, fmt.Errorf("claim job %s: %w", id, ErrBusy)
}

// claimOnce is one try. FailedPrecondition or NotFound means that the job has changed
// since it was read. A try that writes sets holder to the lease's holder, so that the
// next try recognizes the lease.
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
		// An earlier try wrote, and its answer was lost. If there is no turn by now,
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
	// A crash right after this write leaves a lease that runs out. Then the redelivered
	// event takes over, or Sweep queues the job.
	if _, err := ref.Update(ctx, job.updates(), firestore.LastUpdateTime(snaps[0].UpdateTime)); err != nil {
		return nil, err
	}
	if died {
		e.keepsFailing(ctx, job)
	}
	return &job, nil
}

// adopt starts a job of an earlier schema over, because this release cannot interpret
// its phase and cursor. Tasks are idempotent, so this costs work and nothing else.
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

// unchanged calls write in a transaction if the job is unchanged since it was read.
// Otherwise it returns FailedPrecondition or NotFound. A transaction is needed because
// the end of a lane and the report to its parent must be one commit.
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

// Concerns reports whether an event may have a step to run, if its write left the job
// as given. State, Lease, Lanes and Attempt matter; without Attempt it may return true
// too early. A running step's own writes have no step to run: do not call Run for their
// events.
func (e *Engine) Concerns(job Job) bool {
	return !job.State.Finished() && job.Lanes == 0 && !job.leased(e.opts.Now())
}

// stepDied counts a step's death as an attempt; otherwise a job that kills its steps
// would run for ever. It reports whether the job has now failed.
func (e *Engine) stepDied(job *Job) (failed bool) {
	if !e.setback(job, errStepsDie) {
		return false
	}
	job.finish(Failed, e.opts.Now())
	return true
}

// refuse fails a document that is no job, in the transaction that has read it. The
// document's other fields stay for an operator to see. A lane's parent no longer waits
// for it, and fails when the other lanes have ended.
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

// lease gives the job to holder, for Options.Lease from now.
func (e *Engine) lease(job *Job, holder string) {
	until := e.opts.Now().Add(e.opts.Lease)
	job.Lease, job.WakeAt = &Lease{Holder: holder, Until: until}, &until
}

// save writes the job as change leaves it, and returns what it wrote. If the stored
// lease is another, it returns ErrLeaseLost. The stored generation stays, because
// Enqueue may have set another meanwhile.
//
// After a crash before this write, the next step repeats the page. A crash after it
// costs nothing.
func (e *Engine) save(ctx context.Context, job Job, change func(*Job)) (saved Job, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	if after := job; job.Lane != nil {
		if change(&after); after.State != Running {
			// This write includes the parent, like those of the other lanes. Lanes in
			// this process take turns, so that they do not abort each other, while
			// there is time.
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

// held returns the stored job if holder has its lease, or else ErrLeaseLost.
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

// discard deletes the document of a job whose target is gone. If the target has changed
// since the run began, it may exist again, so the job runs again.
//
// A crash before this write leaves a lease that runs out. The next step also finds that
// the target is gone.
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

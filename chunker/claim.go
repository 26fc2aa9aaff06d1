package chunker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker/jobs"
)

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
	job, err := e.Decode(snaps[0])
	if errors.Is(err, jobs.ErrNotJob) && job.State.Finished() {
		return nil, nil //nolint:nilnil // an earlier claim failed it
	}
	if errors.Is(err, jobs.ErrNotJob) {
		failure := e.unchanged(ctx, snaps[0], func(_ context.Context, tx *firestore.Transaction) error { return e.failDamaged(tx, ref, err) })
		if failure != nil {
			return nil, failure
		}
		e.logFailed(ctx, ref.ID, "", err)
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
	case leased(job, now), waits(job, now):
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
		writeFailed := func(ctx context.Context, tx *firestore.Transaction) error { return e.put(ctx, tx, ref, job) }
		if err := e.unchanged(ctx, snaps[0], writeFailed); err != nil {
			return nil, err
		}
		e.logFailed(ctx, job.ID, job.Kind, errStepsDied)
		return nil, nil //nolint:nilnil // as above
	}
	e.restartEarlier(&job)
	job.State, job.UpdatedAt, job.Sweeps = Running, now, 0
	*holder = newHolder()
	e.lease(&job, *holder)
	// A crash right after this write leaves a lease that runs out. Then the redelivered
	// event takes over, or Sweep queues the job.
	if _, err := ref.Update(ctx, jobs.Updates(job), firestore.LastUpdateTime(snaps[0].UpdateTime)); err != nil {
		return nil, err
	}
	if died {
		e.logKeepsFailing(ctx, job)
	}
	return &job, nil
}

// restartEarlier starts a job of an earlier schema over, because this release cannot
// interpret its phase and cursor. Tasks are idempotent, so this costs work and nothing
// else.
func (e *Engine) restartEarlier(job *Job) {
	task, ok := e.tasks[job.Kind]
	if !ok || job.Schema >= task.schema() {
		return
	}
	counts := job.Counts
	restart(job, job.Generation)
	if task.Receipt {
		job.Counts = counts
	}
	job.Schema, job.Phases = task.schema(), len(task.Phases)
	clearFailures(job)
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
	return !job.State.Finished() && job.Lanes == 0 && !leased(job, e.opts.Now())
}

// newHolder returns a random name for a step.
func newHolder() string { return rand.Text() }

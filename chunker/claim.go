package chunker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker/jobdocs"
)

// claimTries is the most tries of a claim, because others may write the job meanwhile. The most likely other
// writer is a step that has claimed the job. Enqueue uses it too.
const claimTries = 10

// claim gives the caller the lease of the job's next step, and a turn of its owner. A nil Job without an error
// means that there is nothing to do: see [Engine.Run]. In that case, left is the job that had a turn
// meanwhile; nil: none had.
//
// claim holds no lock: it reads the job, and writes if the job is unchanged. Dozens of events of one job may
// come at once. In transactions, each of them would hold the lock that all others wait for.
func (e *Engine) claim(ctx context.Context, id string) (claimed, left *Job, err error) {
	ref, holder := e.Ref(id), ""
	for range claimTries {
		claimed, err = e.claimOnce(ctx, ref, &holder, &left)
		if changed(err) { // perhaps by our own write
			continue
		}
		if err != nil {
			err = fmt.Errorf("claim job %s: %w", id, err)
		}
		return claimed, left, err
	}
	return nil, left, fmt.Errorf("claim job %s: it was written between %d reads", id, claimTries)
}

// changed reports whether a write was rejected because the job is not as it was read.
func changed(err error) bool {
	code := status.Code(err)
	return code == codes.FailedPrecondition || code == codes.NotFound
}

// claimOnce is one try. A try that writes sets holder to the lease's holder, so that the next try recognizes
// the lease. If no turn is free then, Sweep finds the end of the lease. If a try takes a turn but gets no
// lease, it gives the turn back, and sets left to the job.
func (e *Engine) claimOnce(ctx context.Context, ref *firestore.DocumentRef, holder *string, left **Job) (claimed *Job, err error) {
	snaps, err := e.client.GetAll(ctx, []*firestore.DocumentRef{ref})
	if err != nil || !snaps[0].Exists() {
		return nil, err
	}
	snap := snaps[0]
	job, err := e.Decode(snap)
	if errors.Is(err, jobdocs.ErrNotJob) {
		return nil, e.failNotJob(ctx, snap, job, err)
	}
	if err != nil {
		return nil, err
	}
	now := e.opts.Now()
	// An earlier try wrote, and its answer was lost.
	ours := job.State == Running && job.Lease != nil && *holder != "" && job.Lease.Holder == *holder
	if !ours && !e.Concerns(job) || !e.turns.take(job) {
		return nil, nil //nolint:nilnil // nothing to do
	}
	defer func() {
		if claimed == nil {
			e.turns.leave(job)
			*left = &job
		}
	}()
	if ours {
		return &job, nil
	}
	died := job.State == Running
	if died && e.stepDied(&job) {
		job.UpdatedAt = now
		if _, err := ref.Update(ctx, jobdocs.Updates(job), firestore.LastUpdateTime(snap.UpdateTime)); err != nil {
			return nil, err
		}
		e.logFailed(ctx, job.ID, job.Kind, errStepsDied)
		return nil, nil //nolint:nilnil // as above
	}
	job.State, job.UpdatedAt, job.Sweeps = Running, now, 0
	*holder = newHolder()
	e.lease(&job, *holder)
	// A crash right after this write leaves a lease that runs out. Then Sweep queues the job.
	if _, err := ref.Update(ctx, jobdocs.Updates(job), firestore.LastUpdateTime(snap.UpdateTime)); err != nil {
		return nil, err
	}
	if died {
		e.logKeepsFailing(ctx, job)
	}
	return &job, nil
}

// failNotJob fails a document that is no job, unless an earlier claim has.
func (e *Engine) failNotJob(ctx context.Context, snap *firestore.DocumentSnapshot, job Job, cause error) error {
	if job.State.Finished() {
		return nil
	}
	_, err := snap.Ref.Update(ctx, e.failedNotJob(cause), firestore.LastUpdateTime(snap.UpdateTime))
	if err == nil {
		e.logFailed(ctx, snap.Ref.ID, "", cause)
	}
	return err
}

// Concerns reports whether a step of the job may be due now. For an event, pass the job as its write left it: if
// Concerns is false, do not call Run, which saves a read. State, Lease, WakeAt, At, Waits and Attempt matter. Concerns
// is false for writes of a claim, of an end, of a retry time that has not come, and of a job that waits or begins
// later.
func (e *Engine) Concerns(job Job) bool {
	now := e.opts.Now()
	return !job.State.Finished() && !job.Waiting() && !leased(job, now) && !waits(job, now)
}

// newHolder returns a random name for a step.
func newHolder() string { return rand.Text() }

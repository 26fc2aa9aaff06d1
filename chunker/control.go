package chunker

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
)

// Get returns a job, or ErrNotFound. For a document that is no job, it returns a failed
// job whose Error says why. For a job of a newer release, it returns the fields that
// [Job.Newer] names. It costs one read.
func (e *Engine) Get(ctx context.Context, id string) (Job, error) {
	jobs, err := e.GetAll(ctx, []string{id})
	if err != nil {
		return Job{}, err
	}
	if len(jobs) == 0 {
		return Job{}, fmt.Errorf("job %q: %w", id, ErrNotFound)
	}
	return jobs[0], nil
}

// GetAll returns the jobs of ids that exist, in the order of ids, as Get does. It costs
// a read for each id.
func (e *Engine) GetAll(ctx context.Context, ids []string) ([]Job, error) {
	var refs []*firestore.DocumentRef
	for _, id := range ids {
		if ref := e.Ref(id); ref != nil {
			refs = append(refs, ref)
		}
	}
	return e.getAll(ctx, refs)
}

func (e *Engine) getAll(ctx context.Context, refs []*firestore.DocumentRef) ([]Job, error) {
	snaps, err := e.client.GetAll(ctx, refs)
	if err != nil {
		return nil, fmt.Errorf("read jobs: %w", err)
	}
	var jobs []Job
	for _, snap := range snaps {
		if snap.Exists() {
			jobs = append(jobs, e.Show(snap))
		}
	}
	return jobs, nil
}

// Lanes returns the existing lanes of a parent, in order. It costs a read for each
// lane.
func (e *Engine) Lanes(ctx context.Context, parent Job) ([]Job, error) {
	return e.getAll(ctx, e.laneRefs(parent))
}

// List returns up to limit jobs in one of the states, ordered by id. Without a state,
// it returns the jobs that were written last, the newest first. It costs a read for
// each job, and at least one.
func (e *Engine) List(ctx context.Context, limit int, states ...State) ([]Job, error) {
	q := e.jobs().OrderBy("updatedAt", firestore.Desc)
	if len(states) > 0 {
		q = e.jobs().Where("state", "in", states)
	}
	docs, err := q.Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	jobs := make([]Job, len(docs))
	for i, doc := range docs {
		jobs[i] = e.Show(doc)
	}
	return jobs, nil
}

// Named returns up to limit jobs whose ids begin with prefix, ordered by id. It costs a
// read for each job, and at least one.
func (e *Engine) Named(ctx context.Context, prefix string, limit int) ([]Job, error) {
	docs, err := e.DocumentsNamed(prefix).Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("jobs named %q: %w", prefix, err)
	}
	jobs := make([]Job, len(docs))
	for i, doc := range docs {
		jobs[i] = e.Show(doc)
	}
	return jobs, nil
}

// DocumentsNamed returns the query of job documents whose ids begin with prefix,
// ordered by id.
func (e *Engine) DocumentsNamed(prefix string) firestore.Query {
	return e.jobs().OrderBy(firestore.DocumentID, firestore.Asc).StartAt(prefix).EndBefore(prefix + "\U0010ffff")
}

// Documents returns the query of all job documents.
func (e *Engine) Documents() firestore.Query { return e.jobs().Query }

// Delete deletes a job document and those of its lanes, in any state. A running step
// can then write nothing to them. A missing job is no error. It costs a read, and a
// delete for each document.
//
// The parent is deleted last, so that after a crash it still says what to delete.
func (e *Engine) Delete(ctx context.Context, id string) error {
	job, err := e.Get(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, ref := range append(e.laneRefs(job), e.Ref(id)) {
		if _, err := ref.Delete(ctx); err != nil {
			return fmt.Errorf("delete job %q: %w", id, err)
		}
	}
	return nil
}

// Unfinished returns up to limit jobs that are queued or running, as List does.
func (e *Engine) Unfinished(ctx context.Context, limit int) ([]Job, error) {
	return e.List(ctx, limit, Queued, Running)
}

// Show decodes a job document as Get does, whatever the document holds.
func (e *Engine) Show(snap *firestore.DocumentSnapshot) Job {
	job, err := e.decode(snap)
	if errors.Is(err, errNoJob) {
		job = glimpse(snap)
		job.State, job.Error = Failed, failureOf(err, snap.UpdateTime)
		job.Error.Code = codes.InvalidArgument.String()
	}
	return job
}

// Cancel stops a job, and the lanes of a parent. No step claims it again. A running
// step ends at its next checkpoint or lease renewal; work that is already done stays.
//
// It returns the job, or ErrNotFound, ErrNewer, ErrLane, or ErrFinished if the job had
// ended.
func (e *Engine) Cancel(ctx context.Context, id string) (Job, error) {
	return e.control(ctx, id, func(job *Job) bool {
		if job.State.Finished() {
			return false
		}
		job.finish(Canceled, e.opts.Now())
		return true
	})
}

// Retry queues a failed or canceled job, to continue where it stopped, and clears its
// failures. Of a parent, it queues the failed and canceled lanes.
//
// It returns the job, or ErrNotFound, ErrNewer, ErrLane, ErrNotStopped for a job that
// is under way, or ErrFinished for a job that is done.
func (e *Engine) Retry(ctx context.Context, id string) (Job, error) {
	return e.control(ctx, id, func(job *Job) bool {
		if job.State != Failed && job.State != Canceled {
			return false
		}
		job.forgive()
		job.queue(e.opts.Now())
		return true
	})
}

// control applies change to a job, or to each lane of a parent. change reports whether
// it changed the job.
func (e *Engine) control(ctx context.Context, id string, change func(*Job) bool) (job Job, err error) {
	ref := e.Ref(id)
	if ref == nil {
		return Job{}, fmt.Errorf("job %q: %w", id, ErrNotFound)
	}
	err = e.client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		stored, err := e.read(tx, ref)
		if err != nil {
			return err
		}
		if stored == nil {
			return ErrNotFound
		}
		job = *stored
		if job.Lanes > 0 {
			return e.controlLanes(tx, ref, &job, change)
		}
		if job.Lane != nil {
			// The parent counts its unfinished lanes: a change to one lane alone would
			// make the count wrong.
			parent, err := e.parentOf(tx, id)
			if parent != nil || err != nil {
				return cmp.Or(err, ErrLane)
			}
		}
		if !change(&job) {
			return refusal(job.State)
		}
		return e.put(ctx, tx, ref, job)
	})
	if err != nil {
		return Job{}, fmt.Errorf("job %q: %w", id, err)
	}
	return job, nil
}

// controlLanes applies change to the lanes of a parent. The parent is running while a
// lane is unfinished. Otherwise it is finished.
func (e *Engine) controlLanes(tx *firestore.Transaction, ref *firestore.DocumentRef, parent *Job, change func(*Job) bool) error {
	lanes, err := e.lanesOf(tx, *parent)
	if err != nil {
		return err
	}
	was := parent.State
	now, changed := e.opts.Now(), false
	if was.Finished() {
		parent.State, parent.FinishedAt, parent.ExpireAt, parent.Error = Running, nil, nil, nil
	}
	for n := range lanes {
		lane := &lanes[n]
		if !change(lane) {
			continue
		}
		changed = true
		lane.UpdatedAt = now
		parent.absorb(lane)
		if lane.State.Finished() {
			e.blame(parent, *lane)
		}
		if err := tx.Update(e.Ref(lane.ID), lane.updates()); err != nil {
			return err
		}
	}
	if !changed && was.Finished() {
		return refusal(was)
	}
	parent.LanesOpen = unfinished(lanes)
	switch {
	case parent.LanesOpen > 0:
	case len(lanes) < parent.Lanes: // missing and damaged lanes never report
		changed = change(parent) || changed
	default:
		e.settle(parent)
		changed = true
	}
	if !changed {
		return refusal(was)
	}
	parent.UpdatedAt = now
	return tx.Update(ref, parent.updates())
}

// refusal returns why a job in state s was not changed.
func refusal(s State) error {
	if s.Finished() {
		return ErrFinished
	}
	return ErrNotStopped
}

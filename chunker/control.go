package chunker

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
)

// Get is a job; ErrNotFound if there is none. A document that is no job is
// returned as a failed one whose Error says why, and one of a newer release with
// what [Job.Newer] says. It costs one read.
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

// GetAll are the jobs of ids that exist, in that order, each as by Get. It costs
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

// Lanes are the lanes of a parent that are there, in order. It costs a read for each.
func (e *Engine) Lanes(ctx context.Context, parent Job) ([]Job, error) {
	return e.getAll(ctx, e.laneRefs(parent))
}

// List are up to limit jobs in one of the states, by their ids; without a
// state, the jobs that were written last. It costs a read for each, and at
// least one.
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

// Named are up to limit jobs whose ids begin with prefix, by their ids. It
// costs a read for each, and at least one.
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

// DocumentsNamed are the job documents whose ids begin with prefix, by their ids.
func (e *Engine) DocumentsNamed(prefix string) firestore.Query {
	return e.jobs().OrderBy(firestore.DocumentID, firestore.Asc).StartAt(prefix).EndBefore(prefix + "\U0010ffff")
}

// Documents are all job documents, for who has to look at them as such.
func (e *Engine) Documents() firestore.Query { return e.jobs().Query }

// Delete deletes a job document and those of its lanes, whatever their state; a
// step that runs can write nothing more to them. A job that is not there is no
// error. It costs a read.
//
// The parent goes last: a crash leaves it to say what there is to delete.
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

// Unfinished are up to limit jobs that are queued or running, as List does.
func (e *Engine) Unfinished(ctx context.Context, limit int) ([]Job, error) {
	return e.List(ctx, limit, Queued, Running)
}

// Show is the job of a document, as Get returns it, whatever the document holds.
func (e *Engine) Show(snap *firestore.DocumentSnapshot) Job {
	job, err := e.decode(snap)
	if errors.Is(err, errNoJob) {
		job = glimpse(snap)
		job.State, job.Error = Failed, failureOf(err, snap.UpdateTime)
		job.Error.Code = codes.InvalidArgument.String()
	}
	return job
}

// Cancel stops a job, and the lanes of a parent: no step claims it any more,
// and one that runs ends with the page that it is at, which stays done. It
// returns the job; ErrNotFound, ErrNewer, ErrLane, and ErrFinished for a job that had ended.
func (e *Engine) Cancel(ctx context.Context, id string) (Job, error) {
	return e.control(ctx, id, func(job *Job) bool {
		if job.State.Finished() {
			return false
		}
		job.finish(Canceled, e.opts.Now())
		return true
	})
}

// Retry queues a failed or canceled job, or those lanes of a parent, to go on
// where it stopped, its failures forgotten. It returns the job; ErrNotFound, ErrNewer, ErrLane,
// ErrNotStopped for a job that is under way, and ErrFinished for one that is done.
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

// control applies change to a job, or to the lanes of a parent; change reports
// whether there was something to do.
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
			// Its parent counts those lanes as unfinished that it has queued itself.
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

// controlLanes is control of a parent. The parent of lanes that go on is
// running, and one without finishes with the last of them.
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
	case len(lanes) < parent.Lanes: // the others were deleted, or are no jobs: nobody else would end it
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

// refusal is why a job in state s was not changed.
func refusal(s State) error {
	if s.Finished() {
		return ErrFinished
	}
	return ErrNotStopped
}

package chunker

import (
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/jobs"
)

// bounds returns the lanes into which splits, ids in ascending order, cut a walk.
func bounds(parent string, splits []string) []Lane {
	lanes := []Lane{{Parent: parent}}
	for _, id := range splits {
		lanes[len(lanes)-1].To = id
		lanes = append(lanes, Lane{Parent: parent, From: id})
	}
	return lanes
}

// enqueueLanes enqueues a parent and its lanes in one transaction.
//
// While lanes are under way, their bounds stay: they cover every id, whatever the new
// splits are. If an operator has deleted or damaged a lane, all lanes start over,
// because that lane would never report. Running steps then lose their leases.
func (e *Engine) enqueueLanes(tx *firestore.Transaction, ref *firestore.DocumentRef, parent *Job, s Spec) error {
	var lanes []Job
	if parent != nil && !parent.State.Finished() {
		var err error
		if lanes, err = e.lanesOf(tx, *parent); err != nil {
			return err
		}
	}
	if parent == nil || len(lanes) == 0 || len(lanes) < parent.Lanes {
		return e.newLanes(tx, ref, parent, s)
	}
	now := e.opts.Now()
	for _, lane := range lanes {
		if lane.State.Finished() {
			lane = e.newRun(lane, s)
			addProgress(parent, &lane)
		} else if retries(lane) {
			queue(&lane, now)
		}
		lane.Generation, lane.UpdatedAt = s.Generation, now
		if err := tx.Update(e.Ref(lane.ID), jobs.Updates(lane)); err != nil {
			return err
		}
	}
	parent.LanesOpen = len(lanes)
	parent.Generation, parent.UpdatedAt, parent.Error = s.Generation, now, nil
	return tx.Update(ref, jobs.Updates(*parent))
}

// newLanes writes a new parent and new lanes, and deletes surplus lanes. parent is
// the stored job, or nil.
func (e *Engine) newLanes(tx *firestore.Transaction, ref *firestore.DocumentRef, parent *Job, s Spec) error {
	lanes := bounds(s.ID, s.Splits)
	if len(lanes) > MaxLanes {
		return Permanent(fmt.Errorf("%d lanes: must be at most %d", len(lanes), MaxLanes))
	}
	refs := e.LaneRefs(Job{ID: s.ID, Lanes: len(lanes)})
	hops, err := e.hops(tx, refs)
	if err != nil {
		return err
	}
	now := e.opts.Now()
	job := Job{CreatedAt: now}
	if parent != nil {
		job = *parent
	}
	left := e.LaneRefs(job)
	job = e.newRun(job, s)
	job.State, job.WakeAt, job.Lanes, job.LanesOpen = Running, nil, len(lanes), len(lanes)
	if err := tx.Set(ref, job); err != nil {
		return err
	}
	for n := range lanes {
		lane := e.newRun(Job{CreatedAt: now, Hop: hops[n], Lane: &lanes[n]}, s)
		if err := tx.Set(refs[n], lane); err != nil {
			return err
		}
	}
	for _, ref := range left[min(len(left), len(lanes)):] {
		if err := tx.Delete(ref); err != nil {
			return err
		}
	}
	return nil
}

// hops returns the hops of lanes stored under the same ids, because a hop never goes
// back.
func (e *Engine) hops(tx *firestore.Transaction, refs []*firestore.DocumentRef) ([]int64, error) {
	snaps, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	hops := make([]int64, len(refs))
	for i, snap := range snaps {
		if snap.Exists() {
			hops[i] = e.Show(snap).Hop
		}
	}
	return hops, nil
}

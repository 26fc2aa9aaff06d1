package chunker

import (
	"context"
	"errors"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"

	"example.com/relationindex/chunker/jobs"
)

// put writes a job in the transaction that has read it. A lane whose step has ended
// reports to its parent in the same transaction, so a crash cannot make the sum wrong.
// The report costs one more read and write for each hop of a lane.
func (e *Engine) put(ctx context.Context, tx *firestore.Transaction, ref *firestore.DocumentRef, job Job) error {
	job.UpdatedAt = e.opts.Now()
	if job.Lane == nil || job.State == Running {
		return tx.Update(ref, jobs.Updates(job))
	}
	parent, err := e.parentOf(tx, ref.ID)
	if err != nil {
		return err
	}
	if parent == nil { // the lane continues alone
		return tx.Update(ref, jobs.Updates(job))
	}
	addProgress(parent, &job)
	if job.State.Finished() && !parent.State.Finished() {
		e.laneFinished(parent, job)
	}
	parent.UpdatedAt = job.UpdatedAt
	if err := tx.Update(ref, jobs.Updates(job)); err != nil {
		return err
	}
	if parent.State.Finished() {
		e.opts.Logger.InfoContext(ctx, "all lanes of a job finished", keyJob, parent.ID, keyState, string(parent.State))
	}
	return tx.Update(e.Ref(parent.ID), jobs.Updates(*parent))
}

// parentOf returns the parent of the lane with this id. It returns nil if an operator
// deleted or damaged the parent, or wrote the lane. It also returns nil if the parent
// has fewer lanes by now.
func (e *Engine) parentOf(tx *firestore.Transaction, lane string) (*Job, error) {
	of, n, ok := jobs.LaneOf(lane)
	if !ok {
		return nil, nil //nolint:nilnil // a missing parent is an answer, not an error
	}
	parent, err := e.read(tx, e.Ref(of))
	if errors.Is(err, jobs.ErrNotJob) || err == nil && parent != nil && n >= parent.Lanes {
		return nil, nil //nolint:nilnil // as above
	}
	return parent, err
}

// lanesOf reads the lanes of a parent that exist and are jobs.
func (e *Engine) lanesOf(tx *firestore.Transaction, parent Job) ([]Job, error) {
	snaps, err := tx.GetAll(e.LaneRefs(parent))
	if err != nil {
		return nil, err
	}
	var lanes []Job
	for _, snap := range snaps {
		if !snap.Exists() {
			continue
		}
		lane, err := e.Decode(snap)
		if errors.Is(err, jobs.ErrNotJob) || err == nil && lane.Lane == nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		lanes = append(lanes, lane)
	}
	return lanes, nil
}

// unfinished counts the jobs that have not ended.
func unfinished(jobs []Job) (n int) {
	for _, job := range jobs {
		if !job.State.Finished() {
			n++
		}
	}
	return n
}

// addProgress adds to a parent what a lane has done since its last report.
func addProgress(parent, lane *Job) {
	l := *lane.Lane
	now := Reported{Done: lane.Done, Counts: lane.Counts}
	if lane.Total != nil {
		now.Total = *lane.Total
	}
	parent.Done += now.Done - l.Reported.Done
	if d := now.Total - l.Reported.Total; d != 0 {
		total := d
		if parent.Total != nil {
			total += *parent.Total
		}
		parent.Total = &total
	}
	for name, n := range l.Reported.Counts {
		addCount(parent, name, -n)
	}
	for name, n := range now.Counts {
		addCount(parent, name, n)
	}
	l.Reported = now
	lane.Lane = &l
}

func addCount(j *Job, name string, n int64) {
	counts := map[string]int64{name: n}
	for other, m := range j.Counts {
		counts[other] += m
	}
	j.Counts = counts
}

// laneFinished counts a finished lane in its parent. The last lane finishes the parent:
// as failed or canceled if any lane was.
func (e *Engine) laneFinished(parent *Job, lane Job) {
	parent.LanesOpen--
	e.recordCause(parent, lane)
	e.finishParent(parent)
}

// recordCause records in a parent why one of its lanes is not done. Only the first cause
// counts.
func (e *Engine) recordCause(parent *Job, lane Job) {
	if lane.State == Done || parent.Error != nil {
		return
	}
	parent.Error = jobs.FailureOf(codes.Canceled.String(), "lane "+lane.ID+" was canceled", e.opts.Now())
	if lane.State == Failed && lane.Error != nil {
		parent.Error = jobs.FailureOf(lane.Error.Code, "lane "+lane.ID+": "+lane.Error.Message, lane.Error.At)
	}
}

// finishParent finishes a parent that has no unfinished lane.
func (e *Engine) finishParent(parent *Job) {
	if parent.LanesOpen > 0 {
		return
	}
	end := Done
	if parent.Error != nil {
		end = Failed
		if parent.Error.Code == codes.Canceled.String() {
			end = Canceled
		}
	}
	finish(parent, end, e.opts.Now())
}

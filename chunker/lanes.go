package chunker

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
)

// MaxLanes is the most lanes of a job: one transaction writes all of them, and their
// numbers have two digits.
const MaxLanes = 100

// Lane is the part of a walk that one of several jobs does: the documents with ids from
// From up to To, without To. An empty string is no bound. A lane goes through all
// phases of its task by itself.
type Lane struct {
	Parent string `firestore:"parent"` // id of the parent job
	From   string `firestore:"from"`
	To     string `firestore:"to"`
	// Reported is the progress that the parent already shows.
	Reported Reported `firestore:"reported"`
}

// Reported is the progress of a lane.
type Reported struct {
	Done   int64            `firestore:"done"`
	Total  int64            `firestore:"total"`
	Counts map[string]int64 `firestore:"counts"`
}

// laneID returns the id of a parent's n-th lane: "reindex~07".
func laneID(parent string, n int) string { return fmt.Sprintf("%s~%02d", parent, n) }

// laneOf returns the parent and the number of the lane with this id. ok is false if id
// is not a lane's.
func laneOf(id string) (parent string, n int, ok bool) {
	at := len(id) - len("~00")
	if at < 1 {
		return "", 0, false
	}
	n, err := strconv.Atoi(id[at+1:])
	parent = id[:at]
	return parent, n, err == nil && n >= 0 && laneID(parent, n) == id
}

// bounds returns the lanes into which splits, ids in ascending order, cut a walk.
func bounds(parent string, splits []string) []Lane {
	lanes := []Lane{{Parent: parent}}
	for _, id := range splits {
		lanes[len(lanes)-1].To = id
		lanes = append(lanes, Lane{Parent: parent, From: id})
	}
	return lanes
}

// within limits a query ordered by document name to the job's lane, if it has one.
// Unless after is nil, only documents after it remain.
func (j Job) within(q firestore.Query, after *firestore.DocumentRef) firestore.Query {
	if after != nil {
		q = q.StartAfter(after)
	} else if j.Lane != nil && j.Lane.From != "" {
		q = q.StartAt(j.Lane.From)
	}
	if j.Lane != nil && j.Lane.To != "" {
		q = q.EndBefore(j.Lane.To)
	}
	return q
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
		return e.freshLanes(tx, ref, parent, s)
	}
	now := e.opts.Now()
	for _, lane := range lanes {
		if lane.State.Finished() {
			lane = e.fresh(lane, s)
			parent.absorb(&lane)
		} else if lane.retries() {
			lane.queue(now)
		}
		lane.Generation, lane.UpdatedAt = s.Generation, now
		if err := tx.Update(e.Ref(lane.ID), lane.updates()); err != nil {
			return err
		}
	}
	parent.LanesOpen = len(lanes)
	parent.Generation, parent.UpdatedAt, parent.Error = s.Generation, now, nil
	return tx.Update(ref, parent.updates())
}

// freshLanes writes a new parent and new lanes, and deletes surplus lanes. parent is
// the stored job, or nil.
func (e *Engine) freshLanes(tx *firestore.Transaction, ref *firestore.DocumentRef, parent *Job, s Spec) error {
	lanes := bounds(s.ID, s.Splits)
	if len(lanes) > MaxLanes {
		return Permanent(fmt.Errorf("%d lanes: must be at most %d", len(lanes), MaxLanes))
	}
	hops, err := e.hops(tx, s.ID, len(lanes))
	if err != nil {
		return err
	}
	now := e.opts.Now()
	job := Job{CreatedAt: now}
	if parent != nil {
		job = *parent
	}
	left := e.laneRefs(job)
	job = e.fresh(job, s)
	job.State, job.WakeAt, job.Lanes, job.LanesOpen = Running, nil, len(lanes), len(lanes)
	if err := tx.Set(ref, job); err != nil {
		return err
	}
	for n := range lanes {
		lane := e.fresh(Job{CreatedAt: now, Hop: hops[n], Lane: &lanes[n]}, s)
		if err := tx.Set(e.Ref(laneID(s.ID, n)), lane); err != nil {
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
func (e *Engine) hops(tx *firestore.Transaction, parent string, n int) ([]int64, error) {
	hops := make([]int64, n)
	refs := make([]*firestore.DocumentRef, n)
	for i := range refs {
		refs[i] = e.Ref(laneID(parent, i))
	}
	snaps, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	for i, snap := range snaps {
		if snap.Exists() {
			hops[i] = glimpse(snap).Hop
		}
	}
	return hops, nil
}

func (e *Engine) laneRefs(parent Job) []*firestore.DocumentRef {
	refs := make([]*firestore.DocumentRef, max(0, min(parent.Lanes, MaxLanes)))
	for n := range refs {
		refs[n] = e.Ref(laneID(parent.ID, n))
	}
	return refs
}

// lanesOf reads the lanes of a parent that exist and are jobs.
func (e *Engine) lanesOf(tx *firestore.Transaction, parent Job) ([]Job, error) {
	snaps, err := tx.GetAll(e.laneRefs(parent))
	if err != nil {
		return nil, err
	}
	var lanes []Job
	for _, snap := range snaps {
		if !snap.Exists() {
			continue
		}
		lane, err := e.decode(snap)
		if errors.Is(err, errNoJob) || err == nil && lane.Lane == nil {
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

// put writes a job in the transaction that has read it. A lane whose step has ended
// reports to its parent in the same transaction, so a crash cannot make the sum wrong.
// The report costs one more read and write for each hop of a lane.
func (e *Engine) put(ctx context.Context, tx *firestore.Transaction, ref *firestore.DocumentRef, job Job) error {
	job.UpdatedAt = e.opts.Now()
	if job.Lane == nil || job.State == Running {
		return tx.Update(ref, job.updates())
	}
	parent, err := e.parentOf(tx, ref.ID)
	if err != nil {
		return err
	}
	if parent == nil { // the lane continues alone
		return tx.Update(ref, job.updates())
	}
	parent.absorb(&job)
	if job.State.Finished() && !parent.State.Finished() {
		e.laneFinished(parent, job)
	}
	parent.UpdatedAt = job.UpdatedAt
	if err := tx.Update(ref, job.updates()); err != nil {
		return err
	}
	if parent.State.Finished() {
		e.opts.Logger.InfoContext(ctx, "all lanes of a job finished", keyJob, parent.ID, keyState, string(parent.State))
	}
	return tx.Update(e.Ref(parent.ID), parent.updates())
}

// parentOf returns the parent of the lane with this id. It returns nil if an operator
// deleted or damaged the parent, or wrote the lane. It also returns nil if the parent
// has fewer lanes by now.
func (e *Engine) parentOf(tx *firestore.Transaction, lane string) (*Job, error) {
	of, n, ok := laneOf(lane)
	if !ok {
		return nil, nil //nolint:nilnil // a missing parent is an answer, not an error
	}
	parent, err := e.read(tx, e.Ref(of))
	if errors.Is(err, errNoJob) || err == nil && parent != nil && n >= parent.Lanes {
		return nil, nil //nolint:nilnil // as above
	}
	return parent, err
}

// absorb adds to a parent what a lane has done since its last report.
func (j *Job) absorb(lane *Job) {
	l := *lane.Lane
	now := Reported{Done: lane.Done, Counts: lane.Counts}
	if lane.Total != nil {
		now.Total = *lane.Total
	}
	j.Done += now.Done - l.Reported.Done
	if d := now.Total - l.Reported.Total; d != 0 {
		total := d
		if j.Total != nil {
			total += *j.Total
		}
		j.Total = &total
	}
	for name, n := range l.Reported.Counts {
		j.count(name, -n)
	}
	for name, n := range now.Counts {
		j.count(name, n)
	}
	l.Reported = now
	lane.Lane = &l
}

func (j *Job) count(name string, n int64) {
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
	e.blame(parent, lane)
	e.settle(parent)
}

// blame records in a parent why one of its lanes is not done. Only the first cause
// counts.
func (e *Engine) blame(parent *Job, lane Job) {
	if lane.State == Done || parent.Error != nil {
		return
	}
	parent.Error = &Failure{Code: codes.Canceled.String(), Message: "lane " + lane.ID + " was canceled", At: e.opts.Now()}
	if lane.State == Failed && lane.Error != nil {
		parent.Error = &Failure{Code: lane.Error.Code, Message: "lane " + lane.ID + ": " + lane.Error.Message, At: lane.Error.At}
	}
}

// settle finishes a parent that has no unfinished lane.
func (e *Engine) settle(parent *Job) {
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
	parent.finish(end, e.opts.Now())
}

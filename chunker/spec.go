package chunker

import (
	"maps"
	"math"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"
)

// Spec describes a job.
type Spec struct {
	// ID is the job's document id. Derive it from the target, so that a duplicate event
	// finds the same job.
	ID   string
	Kind string
	// Collection, Field and Value are for a task that uses bulk.Query: a collection,
	// and the value that one of its fields must equal. With Field "", the task gets all
	// documents.
	Collection string
	Field      string
	Value      any
	Args       map[string]string
	// Generation names the state of the target that the job must cover: an update time, a version. It is
	// compared for equality only, unless Ordered. Enqueue does not change a job that has covered this
	// generation, or is about to.
	Generation string
	// Ordered says that generations are whole numbers in decimal, and that the highest covers all others.
	// Whatever the job's state, a lower number counts as the same. The task's pages read the highest number at
	// the beginning of their step from [Job.Generation], not from an argument. Each higher number is stored,
	// also in a job that has not begun, or that will start over anyway.
	Ordered bool
	// At is when the run for this generation may begin; zero: now. Until then the job costs nothing, and
	// covers each new generation without a write, unless Ordered: its run reads the current state. A job that
	// is already queued, or will start over anyway, keeps its time.
	At time.Time
	// Owner groups the jobs that share turns: see Options.Turns.
	Owner string
	// Private removes Args and Value from the document of a done job. Set it if they
	// identify a person who asked to be forgotten.
	Private bool
	EventID string // for tracing
}

// at returns At as jobs store it.
func (s Spec) at() *time.Time {
	if s.At.IsZero() {
		return nil
	}
	return &s.At
}

// covers reports whether there is nothing to enqueue for s. Either the job covers the
// generation of s, or a run that begins later will read the current state.
func covers(j Job, s Spec) bool {
	if j.Generation == s.Generation || s.Ordered && number(s.Generation) <= number(j.Generation) {
		return true
	}
	if s.Ordered || j.Newer() || j.State.Finished() {
		return false
	}
	return !j.Waiting() && (!begun(j) || j.Generation != j.RunGeneration)
}

// begun reports whether the current run of an unfinished job has done something, or failed.
func begun(j Job) bool {
	return j.State != Queued || j.Phase > 0 || j.LastDoc != nil || j.Done > 0 || j.Attempt > 0
}

// number returns an ordered generation; the least number for a text that is not a number.
func number(generation string) int64 {
	n, err := strconv.ParseInt(generation, 10, 64)
	if err != nil {
		return math.MinInt64
	}
	return n
}

// startOver returns the updates that make an unfinished job run again for s when its current run ends. If no
// run has begun, the next one is for s. A job that waits for a retry continues at once, because the retry may
// not help and the new work does not wait. This happens at most once in each run: see covers. A waiting job
// also runs at once, because the new work may not have to wait.
//
// Ordered generations may write a job often while it waits. So hop grows: the events of the earlier writes
// end, and only one waits.
func (e *Engine) startOver(stored Job, s Spec) []firestore.Update {
	now := e.opts.Now()
	updates := []firestore.Update{
		{Path: "generation", Value: s.Generation},
		{Path: "updatedAt", Value: now},
	}
	if begun(stored) || stored.Waiting() {
		updates = append(updates, firestore.Update{Path: "at", Value: s.at()})
	}
	wakes := stored.Waiting() || begun(stored) && stored.Generation == stored.RunGeneration && retries(stored)
	if !begun(stored) {
		updates = append(updates, firestore.Update{Path: "runGeneration", Value: s.Generation})
	}
	if wakes {
		wakeAt := now // of a retry: work requested earlier does not wait for At
		if stored.Waiting() {
			wakeAt = begins(Job{At: s.at()}, now)
		}
		var sweepAt *time.Time
		if wakeAt.After(now) {
			sweepAt = &wakeAt
		}
		updates = append(updates, firestore.Update{Path: "wakeAt", Value: wakeAt}, firestore.Update{Path: "sweepAt", Value: sweepAt})
	}
	if stored.Waiting() {
		updates = append(updates, firestore.Update{Path: "waits", Value: false})
	}
	if stored.State == Queued && (s.Ordered || wakes) {
		updates = append(updates, firestore.Update{Path: "hop", Value: stored.Hop + 1})
	}
	return updates
}

// newRun returns job, ready for a first run of s. It keeps Hop, CreatedAt and the values that Note has added.
// It keeps Counts if [Task.Receipt] is set.
func (e *Engine) newRun(job Job, s Spec) Job {
	now, counts, task := e.opts.Now(), job.Counts, e.tasks[s.Kind]
	ended := task.Receipt && (job.State == Failed || job.State == Canceled)
	if noted := job.Args[task.Noted]; noted != "" {
		s.Args = maps.Clone(s.Args)
		s.Args[task.Noted] = noted
	}
	job.Kind, job.Args, job.EventID, job.Private = s.Kind, s.Args, s.EventID, s.Private
	job.Schema = e.schema
	job.Collection, job.Field, job.Value = s.Collection, s.Field, s.Value
	job.Owner, job.Sweeps = s.Owner, 0
	job.Phases = len(task.Phases)
	job.Chunk = e.opts.Chunk
	job.MaxAttempts = 0
	clearFailures(&job)
	restart(&job, s.Generation)
	if ended {
		job.Counts = counts
	}
	job.At = s.at()
	queue(&job, begins(job, now), now)
	job.UpdatedAt = now
	return job
}

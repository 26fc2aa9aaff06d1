package chunker

import "cloud.google.com/go/firestore"

// Spec describes a job.
type Spec struct {
	// ID is the job's document id. Derive it from the target, so that a duplicate event
	// finds the same job. It must not end like a lane's id, in ~ and two digits: see
	// [MaxLanes].
	ID   string
	Kind string
	// Collection, Field and Value are for a task that uses bulk.Query: a collection,
	// and the value that one of its fields must equal. With Field "", the task gets all
	// documents.
	Collection string
	Field      string
	Value      any
	Args       map[string]string
	// Generation names the state of the target that the job must cover: an update time,
	// a version. It is compared for equality only. Enqueue leaves a job alone that has
	// covered it, or is about to.
	Generation string
	// Splits cut the walk into lanes, jobs that run at once. They are the ids of the
	// documents that begin the second and each later lane, in ascending order. The job
	// becomes the lanes' parent, and shows their sum.
	//
	// Use them only if the task's pages keep to the job's Lane. Those of bulk.Walk do, over
	// documents of one collection.
	Splits []string
	// Owner groups the jobs that share turns: see Options.Turns.
	Owner string
	// Private removes Args and Value from the document of a done job. Set it if they
	// identify a person who asked to be forgotten.
	Private bool
	EventID string // for tracing
}

// covers reports whether there is nothing to enqueue for s. Either the job covers the
// generation of s, or a run that begins later will read the current state.
func covers(j Job, s Spec) bool {
	if j.Generation == s.Generation {
		return true
	}
	if j.Newer() || j.State.Finished() || len(s.Splits) > 0 || j.Lanes > 0 || j.Lane != nil {
		return false
	}
	begun := j.State != Queued || j.Phase > 0 || j.LastDoc != nil || j.Done > 0
	return !begun || j.Generation != j.RunGeneration
}

// startOver returns the updates that make an unfinished job run again for s when its
// current run ends. A job that waits for a retry continues at once, because the retry
// may not help and the new work does not wait. This happens at most once in each run:
// see covers.
func (e *Engine) startOver(stored Job, s Spec) []firestore.Update {
	now := e.opts.Now()
	updates := []firestore.Update{
		{Path: "generation", Value: s.Generation},
		{Path: "updatedAt", Value: now},
	}
	if retries(stored) {
		updates = append(updates, firestore.Update{Path: "wakeAt", Value: now}, firestore.Update{Path: "hop", Value: stored.Hop + 1})
	}
	return updates
}

// newRun returns job, ready for a first run of s. Hop and CreatedAt stay, and Counts if
// [Task.Receipt] keeps them.
func (e *Engine) newRun(job Job, s Spec) Job {
	now, counts := e.opts.Now(), job.Counts
	ended := e.tasks[s.Kind].Receipt && (job.State == Failed || job.State == Canceled)
	job.Kind, job.Args, job.EventID, job.Private = s.Kind, s.Args, s.EventID, s.Private
	job.Schema = e.tasks[s.Kind].schema()
	job.Collection, job.Field, job.Value = s.Collection, s.Field, s.Value
	job.Owner, job.Sweeps = s.Owner, 0
	job.Phases = len(e.tasks[s.Kind].Phases)
	job.Chunk = e.opts.Chunk
	job.MaxAttempts = 0
	clearFailures(&job)
	job.Lanes, job.LanesOpen = 0, 0
	restart(&job, s.Generation)
	if ended {
		job.Counts = counts
	}
	queue(&job, now)
	job.UpdatedAt = now
	return job
}

package chunker

import (
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
)

// State is where a job stands. It is stored as this text.
type State string

// The states of a job.
const (
	Queued   State = "queued"   // a step may claim it, once WakeAt has passed
	Running  State = "running"  // a step holds its lease; claimable again when the lease has run out
	Done     State = "done"     // every page of every phase is finished
	Failed   State = "failed"   // given up; Error says why. Kept for a person
	Canceled State = "canceled" // stopped by a person; no step claims it
)

// Finished reports whether no further step will run.
func (s State) Finished() bool { return s == Done || s == Failed || s == Canceled }

// Job is the job document. The engine alone writes it.
type Job struct {
	ID   string `firestore:"-"`    // document id, deterministic for each target
	Path string `firestore:"-"`    // of the document
	Kind string `firestore:"kind"` // the registered task
	// State is written by Enqueue (queued) and by each step.
	State State `firestore:"state"`
	// Args are the task's parameters, set by Enqueue and never changed.
	Args map[string]string `firestore:"args"`
	// Chunk is the largest number of documents in a page; at least 1.
	Chunk int `firestore:"chunk"`

	// Phase is the index of the task's phase that LastDoc belongs to.
	Phase int `firestore:"phase"`
	// LastDoc is the last document finished in this phase; nil before the first.
	LastDoc *firestore.DocumentRef `firestore:"lastDoc"`
	// Done counts documents finished in the current run, all phases together.
	Done int64 `firestore:"done"`
	// Total is how many documents the run will finish; nil when unknown.
	Total *int64 `firestore:"total"`

	// Generation names the state of the target that the job has to cover. Set by Enqueue.
	Generation string `firestore:"generation"`
	// RunGeneration is the generation that the current run covers, set when a
	// run starts. Where it differs at the end, the job runs again.
	RunGeneration string `firestore:"runGeneration"`

	// Hop counts hand-overs over the life of the document; it never goes back.
	Hop int64 `firestore:"hop"`
	// Attempt counts consecutive failures without progress; a finished page sets it to 0.
	Attempt int `firestore:"attempt"`
	// MaxAttempts is the attempt at which the job fails for good.
	MaxAttempts int `firestore:"maxAttempts"`
	// Lease names the step that may write the job; nil unless running.
	Lease *Lease `firestore:"lease"`
	// WakeAt is when a step may be claimed: at once, at the retry time, or at
	// the end of the lease. Nil once finished.
	WakeAt *time.Time `firestore:"wakeAt"`
	// Error is the last failure; nil when there was none.
	Error *Failure `firestore:"error"`

	EventID    string     `firestore:"eventId"` // the event that caused the run, for tracing; may be empty
	CreatedAt  time.Time  `firestore:"createdAt"`
	UpdatedAt  time.Time  `firestore:"updatedAt"`
	FinishedAt *time.Time `firestore:"finishedAt"` // nil unless finished
	ExpireAt   *time.Time `firestore:"expireAt"`   // for a TTL policy; nil unless finished
}

// Lease gives one step the right to write the job until a time.
type Lease struct {
	Holder string    `firestore:"holder"` // random, one for each step
	Until  time.Time `firestore:"until"`
}

// Failure is the last error of a job.
type Failure struct {
	Code    string    `firestore:"code"` // the gRPC code's name, e.g. "Unavailable"
	Message string    `firestore:"message"`
	At      time.Time `firestore:"at"`
}

func decode(snap *firestore.DocumentSnapshot) (Job, error) {
	var job Job
	if err := snap.DataTo(&job); err != nil {
		return Job{}, fmt.Errorf("decode job %s: %w", snap.Ref.Path, err)
	}
	job.ID, job.Path = snap.Ref.ID, snap.Ref.Path
	return job, nil
}

// leased reports whether another step holds the job at now.
func (j Job) leased(now time.Time) bool {
	return j.State == Running && j.Lease != nil && now.Before(j.Lease.Until)
}

// restart puts the job at the beginning of a run that covers generation.
func (j *Job) restart(generation string) {
	j.Phase, j.LastDoc, j.Done = 0, nil, 0
	j.Generation, j.RunGeneration = generation, generation
}

// queue makes the job claimable from at on. Hop grows, so that the write
// differs from the one before it and emits an event.
func (j *Job) queue(at time.Time) {
	j.State, j.Lease, j.WakeAt = Queued, nil, &at
	j.FinishedAt, j.ExpireAt = nil, nil
	j.Hop++
}

// finish closes the job in state s.
func (j *Job) finish(s State, now time.Time, keep time.Duration) {
	expire := now.Add(keep)
	j.State, j.Lease, j.WakeAt = s, nil, nil
	j.FinishedAt, j.ExpireAt = &now, &expire
}

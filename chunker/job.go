package chunker

import (
	"fmt"
	"reflect"
	"time"

	"cloud.google.com/go/firestore"
)

// State is where a job stands. It is stored as this text.
type State string

// The states of a job.
const (
	Queued   State = "queued"   // a step may claim it, once WakeAt has passed
	Running  State = "running"  // a step holds its lease; claimable again when the lease has run out. Of a parent: its lanes are under way
	Done     State = "done"     // every page of every phase is finished
	Failed   State = "failed"   // given up; Error says why. Kept for a person
	Canceled State = "canceled" // stopped by a person; no step claims it
)

// Finished reports whether no further step will run.
func (s State) Finished() bool { return s == Done || s == Failed || s == Canceled }

// known reports whether s is one of the states above.
func (s State) known() bool { return s == Queued || s == Running || s.Finished() }

// Job is the job document. The engine alone writes it, and of a document that
// a newer version of it wrote it leaves the fields that it does not know.
type Job struct {
	ID   string `firestore:"-"`    // document id, deterministic for each target
	Path string `firestore:"-"`    // of the document
	Kind string `firestore:"kind"` // the registered task
	// Schema says which releases may write the job: those that know it. 1 where
	// the document has none. Set by Enqueue, to that of the task; see [Schema].
	Schema int `firestore:"schema"`
	// State is written by Enqueue (queued) and by each step.
	State State `firestore:"state"`

	// Collection, Field and Value say which documents a task walks that is not
	// made for one collection: see Job.Query. Set by Enqueue; may be empty.
	Collection string `firestore:"collection"`
	Field      string `firestore:"field"`
	Value      any    `firestore:"value"`
	// Args are the task's parameters, set by Enqueue and never changed.
	Args map[string]string `firestore:"args"`
	// Owner is whose jobs share turns, with those of the kind: see Options.Turns. Any
	// text, the same for the same owner; "": the job needs no turn. Set by Enqueue, and
	// removed when the job is done.
	Owner string `firestore:"owner"`
	// Private has Args and Value removed when the job is done.
	Private bool `firestore:"private"`
	// Chunk is the largest number of documents in a page, 1 to MaxChunk; what
	// lies outside is taken for the nearest of the two. See also Attempt.
	Chunk int `firestore:"chunk"`

	// Phases is how many phases the task has, for people to see; 0: not known.
	Phases int `firestore:"phases"`
	// Phase is the index of the task's phase that LastDoc belongs to.
	Phase int `firestore:"phase"`
	// LastDoc is the last document finished in this phase; nil before the
	// first. It need not exist any more.
	LastDoc *firestore.DocumentRef `firestore:"lastDoc"`
	// Done counts documents finished in the current run, all phases together;
	// of a parent, those of its lanes at the end of their last steps.
	Done int64 `firestore:"done"`
	// Total is how many documents the run will finish; nil when unknown.
	Total *int64 `firestore:"total"`
	// Counts is what the task counted in the current run: a receipt. See Task.Receipt.
	Counts map[string]int64 `firestore:"counts"`

	// Generation names the state of the target that the job has to cover. Set by Enqueue.
	Generation string `firestore:"generation"`
	// RunGeneration is the generation that the current run covers, set when a
	// run starts. Where it differs at the end, the job runs again.
	RunGeneration string `firestore:"runGeneration"`

	// Hop counts hand-overs over the life of the document; it never goes back.
	Hop int64 `firestore:"hop"`
	// Attempt counts consecutive failures without progress, deaths of steps
	// included; a finished page sets it to 0. From the second on, each makes the
	// next page a quarter as large, so that a page which is too much gets through,
	// and a document that cannot be done stops those around it only for a while.
	Attempt int `firestore:"attempt"`
	// MaxAttempts is the attempt at which the job fails for good, however short it
	// has been failing for, where a person has set fewer than the engine's options
	// say. Otherwise, and with 0, as Enqueue sets it, those count: a release before
	// this one wrote 10 into every job.
	MaxAttempts int `firestore:"maxAttempts"`
	// FailingSince is when the first of those failures was; nil when there is none.
	FailingSince *time.Time `firestore:"failingSince"`
	// Lease names the step that may write the job; nil unless running.
	Lease *Lease `firestore:"lease"`
	// WakeAt is when a step may be claimed: at once, at the retry time, or at
	// the end of the lease. Nil once finished, and in a parent.
	WakeAt *time.Time `firestore:"wakeAt"`
	// Sweeps is how often Sweep has queued the job since its last step. It waits longer
	// each time.
	Sweeps int `firestore:"sweeps"`
	// Error is the last failure; nil when there was none.
	Error *Failure `firestore:"error"`

	// Lanes is how many lanes a parent has; LanesOpen how many of them are not
	// finished. Zero in every other job.
	Lanes     int `firestore:"lanes"`
	LanesOpen int `firestore:"lanesOpen"`
	// Lane is which part of the walk a lane does; nil in every other job.
	Lane *Lane `firestore:"lane"`

	EventID    string     `firestore:"eventId"` // the event that caused the run, for tracing; may be empty
	CreatedAt  time.Time  `firestore:"createdAt"`
	UpdatedAt  time.Time  `firestore:"updatedAt"`
	FinishedAt *time.Time `firestore:"finishedAt"` // nil unless finished
	ExpireAt   *time.Time `firestore:"expireAt"`   // for a TTL policy; nil unless done
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

func (f Failure) String() string { return f.Code + ": " + f.Message }

// Schema is the newest schema of job documents that this release knows.
//
// Raise it by one with a change that earlier releases must keep their hands
// off: a task with other phases, arguments or cursors, a new kind of task, a
// new state, a field with another meaning. Give the new number to each task
// that is concerned ([Task].Schema). A release that knows less leaves the jobs of those
// tasks as they are, and their events come again; this one starts the unfinished
// jobs of earlier releases over. A new field whose absence means what was so
// before needs no new number: a release that does not know it keeps it.
//
// Of a job of any schema, every release reads and relies on schema, kind, state
// (one of ours, or another that is not finished), generation, hop and lanes.
const Schema = 2

// Newer reports whether a newer release wrote the job. What this one shows of
// it is the ID, the Path, and the fields that every release reads.
func (j Job) Newer() bool { return j.Schema > Schema }

// MaxChunk is the most documents that a page is asked to do.
const MaxChunk = 10_000

// limit is how many documents the next page may do.
func (j Job) limit() int {
	chunk := max(1, min(j.Chunk, MaxChunk))
	return max(1, chunk>>(2*min(10, max(0, j.Attempt-1))))
}

// longestWait is the furthest that a lease or a retry time of ours lies ahead:
// no function of any kind may run longer than an hour, and back-off is
// shorter. What lies beyond it was not written by an engine and is not waited for.
const longestWait = time.Hour

func ahead(t, now time.Time) bool { return now.Before(t) && t.Sub(now) <= longestWait }

// leased reports whether another step holds the job at now. A job whose steps
// keep dying rests after each, as one does whose pages fail.
func (j Job) leased(now time.Time) bool {
	if j.State != Running || j.Lease == nil {
		return false
	}
	if ahead(j.Lease.Until, now) {
		return true
	}
	return j.Attempt > 0 && !now.Before(j.Lease.Until) && now.Before(j.Lease.Until.Add(backoff(j.Attempt, atOnce)))
}

// waits reports whether the job's time has not come at now.
func (j Job) waits(now time.Time) bool {
	return j.State == Queued && j.WakeAt != nil && ahead(*j.WakeAt, now)
}

// retries reports whether the job waits to try again what has failed.
func (j Job) retries() bool { return j.State == Queued && j.Attempt > 0 }

// restart puts the job at the beginning of a run that covers generation.
func (j *Job) restart(generation string) {
	j.Phase, j.LastDoc, j.Done, j.Total, j.Counts = 0, nil, 0, nil, nil
	j.Generation, j.RunGeneration = generation, generation
}

// queue makes the job claimable from at on. Hop grows, so that the write
// differs from the one before it and emits an event.
func (j *Job) queue(at time.Time) {
	j.State, j.Lease, j.WakeAt = Queued, nil, &at
	j.FinishedAt, j.ExpireAt = nil, nil
	j.Hop++
}

// forgive forgets failures: there is progress, or a person or a release says that
// the cause is mended.
func (j *Job) forgive() { j.Attempt, j.FailingSince, j.Error = 0, nil, nil }

// keep is how long the document of a job that is done stays. One that has failed
// or was canceled stays until a person decides: it is the only record of what is
// undone.
const keep = 7 * 24 * time.Hour

// finish closes the job in state s.
func (j *Job) finish(s State, now time.Time) {
	j.State, j.Lease, j.WakeAt = s, nil, nil
	j.FinishedAt, j.ExpireAt = &now, nil
	if s != Done {
		return
	}
	expire := now.Add(keep)
	j.ExpireAt, j.Owner = &expire, ""
	if j.Private {
		j.Args, j.Value = nil, nil
	}
}

// decode reads a job document. It returns ErrNewer for one of a newer release,
// and errNoJob, with the field that is wrong, for one that no release could have
// written; of both, the Job holds what every release reads.
func (e *Engine) decode(snap *firestore.DocumentSnapshot) (Job, error) {
	seen := glimpse(snap)
	if seen.Schema > e.schema {
		return seen, fmt.Errorf("%w: it has schema %d, this one knows up to %d", ErrNewer, seen.Schema, e.schema)
	}
	var job Job
	if err := snap.DataTo(&job); err != nil {
		return seen, fmt.Errorf("%w: %s: %w", errNoJob, seen.Path, err)
	}
	job.ID, job.Path, job.Schema = snap.Ref.ID, snap.Ref.Path, max(1, job.Schema)
	if !job.State.known() {
		return job, fmt.Errorf("%w: %s: state %q is none of queued, running, done, failed, canceled", errNoJob, job.Path, job.State)
	}
	if job.Phase < 0 {
		return job, fmt.Errorf("%w: %s: phase is %d", errNoJob, job.Path, job.Phase)
	}
	return job, nil
}

// glimpse is what every release reads of a job document.
func glimpse(snap *firestore.DocumentSnapshot) Job {
	// Field by field: what the library cannot decode elsewhere is nobody's business here.
	at := func(field string) any { v, _ := snap.DataAt(field); return v }
	text := func(field string) string { s, _ := at(field).(string); return s }
	number := func(field string) int64 { n, _ := at(field).(int64); return n }
	return Job{
		ID: snap.Ref.ID, Path: snap.Ref.Path, Kind: text("kind"), State: State(text("state")), Schema: max(1, int(number("schema"))),
		Generation: text("generation"), Hop: number("hop"), Lanes: int(number("lanes")), CreatedAt: snap.CreateTime, UpdatedAt: snap.UpdateTime,
	}
}

// updates writes every field of the job, and leaves others of the document as
// they are.
func (j Job) updates() []firestore.Update {
	v := reflect.ValueOf(j)
	var out []firestore.Update
	for _, f := range reflect.VisibleFields(v.Type()) {
		if name := f.Tag.Get("firestore"); name != "-" {
			out = append(out, firestore.Update{Path: name, Value: v.FieldByIndex(f.Index).Interface()})
		}
	}
	return out
}

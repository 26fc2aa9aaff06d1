package jobdocs

import (
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/status"
)

// State is the state of a job, stored as this text.
type State string

// The states of a job.
const (
	// Queued: a step may claim the job once WakeAt has passed.
	Queued State = "queued"
	// Running: a step holds the lease; another may claim the job when the lease has run
	// out.
	Running State = "running"
	// Done: every page of every phase is finished.
	Done State = "done"
	// Failed: no step tries again. Error says why. The document stays for an operator.
	Failed State = "failed"
	// Canceled: an operator stopped the job. No step claims it.
	Canceled State = "canceled"
)

// Finished reports whether no further step will run.
func (s State) Finished() bool { return s == Done || s == Failed || s == Canceled }

// known reports whether s is one of the states above.
func (s State) known() bool { return s == Queued || s == Running || s.Finished() }

// Job is the job document. Only the engine writes it. Updates keep fields that only a
// newer release has.
type Job struct {
	ID   string `firestore:"-"`    // document id, derived from the target
	Path string `firestore:"-"`    // of the document
	Kind string `firestore:"kind"` // the registered task
	// Schema says which releases may write the job: those whose [Schema] is at least as
	// high. Set by Enqueue.
	Schema int `firestore:"schema"`
	// State is set to queued by Enqueue, then changed by steps, Sweep, Cancel and
	// Retry.
	State State `firestore:"state"`

	// Collection, Field and Value select the documents, for a task that is not made for
	// one collection: see bulk.Query. Set by Enqueue; may be empty.
	Collection string `firestore:"collection"`
	Field      string `firestore:"field"`
	Value      any    `firestore:"value"`
	// Args are the task's parameters. Set by Enqueue; only Private removes them.
	Args map[string]string `firestore:"args"`
	// Owner groups the jobs of a kind that share turns: see chunker.Options.Turns. Any
	// text; "": the job needs no turn. Set by Enqueue, removed when the job is done.
	Owner string `firestore:"owner"`
	// Private removes Args and Value when the job is done.
	Private bool `firestore:"private"`
	// Chunk is the most documents of a page, 1 to MaxChunk. A value outside counts as
	// the nearest of the two. See also Attempt.
	Chunk int `firestore:"chunk"`

	// Phases is the number of phases of the task, for operators; 0: unknown.
	Phases int `firestore:"phases"`
	// Phase is the index of the task's phase that LastDoc belongs to.
	Phase int `firestore:"phase"`
	// LastDoc is the last document finished in this phase; nil before the first. It may
	// have been deleted since.
	LastDoc *firestore.DocumentRef `firestore:"lastDoc"`
	// Done counts the documents finished in the current run, over all phases, as of the end of the last step. So are
	// Phase, LastDoc, Total and Counts.
	Done int64 `firestore:"done"`
	// Total is how many documents the run will finish; nil: unknown.
	Total *int64 `firestore:"total"`
	// Counts holds the task's own counts in the current run: a receipt. See
	// chunker.Task.Receipt.
	Counts map[string]int64 `firestore:"counts"`

	// Generation names the state of the target that the job must cover. Set by Enqueue.
	Generation string `firestore:"generation"`
	// RunGeneration is the generation that the current run covers, set when a run
	// starts. If it differs from Generation at the end, the job runs again.
	RunGeneration string `firestore:"runGeneration"`

	// Hop counts how often the job was queued: by Enqueue, hand-overs, retries and Sweep, and by a step of its
	// owner that leaves its turn to the job. It never decreases.
	Hop int64 `firestore:"hop"`
	// Attempt counts consecutive failures without progress, deaths of steps included. A finished page sets it to 0.
	// From the second failure on, each failure makes the next page a quarter as large. So the work of a page that was
	// too large gets done. A document that always fails delays the documents around it only for a while.
	Attempt int `firestore:"attempt"`
	// MaxAttempts is the attempt at which the job fails for good, however recent the first failure is. Set by an
	// operator. Enqueue sets 0: then only chunker.Options decide.
	MaxAttempts int `firestore:"maxAttempts"`
	// FailingSince is the time of the first of these failures; nil: none.
	FailingSince *time.Time `firestore:"failingSince"`
	// Lease names the step that may write the job; nil unless running.
	Lease *Lease `firestore:"lease"`
	// WakeAt is when a step may claim the job: at once, at the retry time, or at the
	// end of the lease. Nil once finished, and while the job waits.
	WakeAt *time.Time `firestore:"wakeAt"`
	// SweepAt is WakeAt if only Sweep starts a step then: a retry, a run that begins later, or the step after one that
	// died. Nil if the job's write has an event that starts the step.
	SweepAt *time.Time `firestore:"sweepAt"`
	// Waits says that a page of the current run has left out work that must wait: see chunker.Page. See
	// [Job.Waiting], too.
	Waits bool `firestore:"waits"`
	// At is when the run for Generation may begin; nil: at once. Set by Enqueue.
	At *time.Time `firestore:"at"`
	// Sweeps counts how often Sweep has queued the job since its last step. Sweep waits
	// longer each time.
	Sweeps int `firestore:"sweeps"`
	// Error is the last failure; nil: none.
	Error *Failure `firestore:"error"`

	// EventID is the event that caused the run, for tracing; may be empty.
	EventID    string     `firestore:"eventId"`
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
	Code    string    `firestore:"code"` // name of the gRPC code, such as "Unavailable"
	Message string    `firestore:"message"`
	At      time.Time `firestore:"at"`
	// Words are the words of the message: see [Store.Redact].
	Words []string `firestore:"words"`
}

func (f Failure) String() string { return f.Code + ": " + f.Message }

// NewFailure returns the failure to store for an error.
func NewFailure(err error, at time.Time) *Failure {
	const longest = 1000 // bytes of the message in the job document
	message := err.Error()
	message = strings.ToValidUTF8(message[:min(len(message), longest)], "")
	return FailureOf(status.Code(err).String(), message, at)
}

// FailureOf returns a failure to store.
func FailureOf(code, message string, at time.Time) *Failure {
	return &Failure{Code: code, Message: message, At: at, Words: wordsOf(message)}
}

// Schema is the newest schema of job documents that this release supports, and the schema of the jobs that it
// enqueues.
//
// Raise it by one with a change that earlier releases must not process. Examples are other phases, arguments
// or cursors of a task, a new kind of task, a new state, and a new meaning of a field. Earlier releases then
// leave new jobs as they are, and their events come again. The release that raises Schema defines how to
// handle jobs with a lower number.
//
// Keep the number for a new field if jobs without the field behave as before: updates by earlier releases keep
// the field.
//
// Every release reads these fields of a job of any schema, and relies on them: schema, kind, state (one of
// ours, or another that is not finished), generation and hop.
//
// Earlier commits stored 1 to 11, with other phases and kinds: let these jobs end before an upgrade.
const Schema = 12

// Noted returns the values that chunker.Engine.Note has added to an argument; none if the job has no such
// argument.
func (j Job) Noted(arg string) []string {
	return strings.FieldsFunc(j.Args[arg], func(r rune) bool { return r == '/' })
}

// Waiting reports whether the job waits: it is queued without a time, because its last run has left work out.
// No step claims it before Sweep or Enqueue queues it with a time.
func (j Job) Waiting() bool { return j.State == Queued && j.Waits && j.WakeAt == nil }

// Later reports whether the job is queued for a run that may begin at WakeAt, and not earlier.
func (j Job) Later() bool {
	return j.State == Queued && j.WakeAt != nil && j.At != nil && j.WakeAt.Equal(*j.At)
}

// Newer reports whether a newer release wrote the job. This release shows only the ID, the Path, and the
// fields that every release reads.
func (j Job) Newer() bool { return j.Schema > Schema }

// MaxChunk is the most documents of a page.
const MaxChunk = 10_000

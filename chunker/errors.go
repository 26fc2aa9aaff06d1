package chunker

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var (
	// ErrBusy says that the job's step cannot be claimed now but may be later:
	// another step holds its lease, or its retry time has not come. Answer the
	// event with an error so that it is delivered again.
	ErrBusy = errors.New("chunker: job is leased or waits for its retry time")
	// ErrLeaseLost says that another step took the job over, or that the job
	// was canceled or deleted; nothing was written.
	ErrLeaseLost = errors.New("chunker: lease lost")
	// ErrNewer says that a newer release wrote the job: its [Schema] is beyond
	// this one's. Nothing was written. Answer the event with an error so that it
	// is delivered again: while a release is being deployed, to the new one.
	ErrNewer = errors.New("chunker: job was written by a newer release")
	// ErrNotFound says that there is no job with the id.
	ErrNotFound = errors.New("chunker: no such job")
	// ErrFinished says that the job has ended already.
	ErrFinished = errors.New("chunker: job has ended")
	// ErrLane says that the job is a lane: cancel or retry its parent.
	ErrLane = errors.New("chunker: job is a lane of another")
	// ErrNotStopped says that the job is under way.
	ErrNotStopped = errors.New("chunker: job is under way")
)

// errNoJob says that a document is none that the engine could have written.
var errNoJob = errors.New("chunker: not a job document")

// errStepsDie is why a job fails of whose steps none gets to say why.
var errStepsDie = errors.New("steps end without progress: killed, out of memory or out of time")

// permanentError marks an error that a retry cannot help.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// Permanent marks err as one that a retry cannot help: the job fails at once.
// Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanentError{err}
}

// IsPermanent reports whether a retry of what returned err can never succeed: it
// was marked by [Permanent], or Firestore refused the request itself. A
// permission, an index or a release that is missing may come.
func IsPermanent(err error) bool {
	if _, ok := errors.AsType[permanentError](err); ok {
		return true
	}
	switch status.Code(err) {
	case codes.InvalidArgument, codes.Unimplemented:
		return true
	default:
		return false
	}
}

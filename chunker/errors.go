package chunker

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var (
	// ErrLeaseLost means that another step took the job over, or that the job was
	// canceled or deleted. A page that returns it ends its step, which writes nothing.
	ErrLeaseLost = errors.New("chunker: lease lost")
	// ErrFinished means that the job has already ended.
	ErrFinished = errors.New("chunker: job has ended")
	// ErrNotStopped means that the job is under way.
	ErrNotStopped = errors.New("chunker: job is under way")
)

// errStepsDied is recorded when a step died before it could report an error.
var errStepsDied = errors.New("steps end without progress: killed, out of memory or out of time")

// permanentError marks an error that no retry can help.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// Permanent marks err as an error that no retry can help: the job fails at once.
// Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanentError{err}
}

// IsPermanent reports whether no retry can succeed: [Permanent] marked err, or
// Firestore rejected the request itself. A missing permission, index or release is not
// permanent, because it may come.
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

package relations

import (
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var (
	// ErrBadDocument says that a document that a client wrote cannot be indexed as it
	// is: a post without an author, an id that is not one. What was derived
	// from it before has been removed. A retry cannot help.
	ErrBadDocument = errors.New("bad document")
	// ErrDamaged says that a document of ours is not what we write: a mirror or an
	// index document that cannot be read, because somebody else has written it, or a
	// relation that Firestore refuses. Nothing that clients wrote is wrong, so a retry
	// helps as soon as the document is mended, or may be written; see damage.go for who
	// mends it.
	ErrDamaged = errors.New("damaged document")
	// ErrContention says that documents kept changing under the reconciler for
	// longer than it tries. A retry helps.
	ErrContention = errors.New("documents keep changing")
)

// maxErrors is how many errors are told together of work that goes on past them.
const maxErrors = 10

func badDocument(path, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", path, ErrBadDocument, fmt.Sprintf(format, args...))
}

func damagedDocument(path, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", path, ErrDamaged, fmt.Sprintf(format, args...))
}

// errStale ends a transaction whose plan no longer fits what it reads. The
// caller plans again; it never leaves the package.
var errStale = errors.New("plan is stale")

// isStale reports whether err says that a document has changed, come or gone
// since it was read: plan again.
func isStale(err error) bool {
	if errors.Is(err, errStale) {
		return true
	}
	switch status.Code(err) {
	case codes.FailedPrecondition, codes.NotFound, codes.AlreadyExists:
		return true
	default:
		return false
	}
}

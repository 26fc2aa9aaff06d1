package schema

import (
	"errors"
	"fmt"
)

var (
	// ErrBadDocument is returned when a client's document cannot be indexed: a post
	// without an author, or an invalid id. Everything derived from the document before
	// has been removed. A retry cannot help.
	ErrBadDocument = errors.New("bad document")
	// ErrDamaged is returned when a document of ours is not as we write it. Either an
	// edge or an index document cannot be read, because something else wrote it, or
	// Firestore rejects a relation. The clients' documents are right. So a retry
	// succeeds once the document is mended, or once Firestore accepts it. damage.go
	// explains what mends it.
	ErrDamaged = errors.New("damaged document")
	// ErrContention is returned when documents kept changing during every attempt of a
	// reconciler. A retry helps.
	ErrContention = errors.New("documents keep changing")
)

// MaxErrors limits the errors of a kind that work joins if it continues after errors.
// Errors of damaged documents are all joined.
const MaxErrors = 10

// BadDocument returns ErrBadDocument for the document with this path. The error also wraps the errors that
// format wraps, such as [ErrBadID].
func BadDocument(path, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %w", path, ErrBadDocument, fmt.Errorf(format, args...))
}

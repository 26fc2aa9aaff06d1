package work

import (
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema"
)

// rejected is the error of a document that Firestore rejects. It wraps ErrDamaged and has
// no gRPC status: another configuration of indexes may help.
type rejected struct {
	path  string
	cause error
}

func (r *rejected) Error() string {
	return fmt.Sprintf("%s: %v: Firestore rejects it: %v", r.path, schema.ErrDamaged, r.cause)
}
func (r *rejected) Unwrap() error { return schema.ErrDamaged }

// Rejected returns err, the error of writing only this document. If Firestore permanently
// rejected the write, that is ErrDamaged.
func Rejected(doc *firestore.DocumentRef, err error) error {
	if store.IsRejected(err) {
		return &rejected{doc.Path, err}
	}
	return err
}

// Rejections counts the errors of [Rejected] documents in err.
func Rejections(err error) (n int64) {
	if several, ok := errors.AsType[schema.Joined](err); ok {
		for _, err := range several.Unwrap() {
			n += Rejections(err)
		}
	} else if _, ok := errors.AsType[*rejected](err); ok {
		n++
	}
	return n
}

// OnlyRejected reports whether err is about [Rejected] documents and nothing else.
func OnlyRejected(err error) bool {
	return schema.OnlyOf(err, func(err error) bool { _, ok := errors.AsType[*rejected](err); return ok })
}

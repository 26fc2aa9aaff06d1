package work

import (
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// rejected is the error of a document that Firestore rejects. It wraps ErrDamaged and has
// no gRPC status: another configuration of indexes may help.
type rejected struct {
	doc    *firestore.DocumentRef
	author string
	cause  error
}

func (r *rejected) Error() string {
	return fmt.Sprintf("%s: %v: Firestore rejects it: %v", r.doc.Path, schema.ErrDamaged, r.cause)
}
func (r *rejected) Unwrap() error { return schema.ErrDamaged }

// Rejected wraps err, the error of a write of only this document. A repair of author would write the document
// again. If Firestore permanently rejected the write, the result is ErrDamaged; otherwise it is err.
func Rejected(doc *firestore.DocumentRef, author string, err error) error {
	if store.IsRejected(err) {
		return &rejected{doc, author, err}
	}
	return err
}

// RejectedAs returns the document that Firestore has rejected according to err, and the author whose repair
// writes the document again.
func RejectedAs(err error) (doc *firestore.DocumentRef, author string, ok bool) {
	r, ok := errors.AsType[*rejected](err)
	if !ok {
		return nil, "", false
	}
	return r.doc, r.author, true
}

// Rejections counts the errors of [Rejected] documents in err.
func Rejections(err error) (n int) {
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

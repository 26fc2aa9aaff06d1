package schema

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
)

// A damaged document of ours affects only work that needs it:
//
//  - The event that reads a damaged edge replaces it.
//  - The job of a damaged index document mends it, if its followers can be read. The
//    work that reads the document enqueues the job. If the followers cannot be read,
//    the job would lose them. It fails until you run repair, which finds them by their
//    follower documents.
//  - A mended index document is not backfilled. So all its relations are copied, also
//    those that other work had to skip.

// DamagedIndex is the error of an index document that cannot be read.
type DamagedIndex struct {
	Author, Index string
	Path          string
	Updated       time.Time // update time of the document; identifies this damage
	Cause         error
}

func (d *DamagedIndex) Error() string { return fmt.Sprintf("%s: %v: %v", d.Path, ErrDamaged, d.Cause) }
func (d *DamagedIndex) Unwrap() error { return ErrDamaged }

// NewDamagedIndex returns the error of an index document that was read, and its cause.
func NewDamagedIndex(doc *firestore.DocumentSnapshot, cause error) *DamagedIndex {
	return &DamagedIndex{
		Author: doc.Ref.Parent.Parent.ID, Index: doc.Ref.ID,
		Path: doc.Ref.Path, Updated: doc.UpdateTime, Cause: cause,
	}
}

// DamagedEdge is the error of an edge that cannot be read, or whose index document
// ids are invalid.
type DamagedEdge struct {
	Path    string
	Updated time.Time
	Cause   error
}

func (d *DamagedEdge) Error() string {
	return fmt.Sprintf("%s: %v: %v", d.Path, ErrDamaged, d.Cause)
}
func (d *DamagedEdge) Unwrap() error { return ErrDamaged }

// Joined is an error that joins several.
type Joined interface {
	error
	Unwrap() []error
}

// OnlyDamaged reports whether err is about damaged documents and nothing else.
func OnlyDamaged(err error) bool {
	return OnlyOf(err, func(err error) bool { return errors.Is(err, ErrDamaged) })
}

// OnlyOf reports whether err, or each error that it joins, is of a kind.
func OnlyOf(err error, kind func(error) bool) bool {
	if several, ok := errors.AsType[Joined](err); ok {
		return !slices.ContainsFunc(several.Unwrap(), func(err error) bool { return !OnlyOf(err, kind) })
	}
	return kind(err)
}

// DamagedIndexes returns the damaged index documents in err, each once.
func DamagedIndexes(err error) (found []*DamagedIndex) {
	if several, ok := errors.AsType[Joined](err); ok {
		for _, err := range several.Unwrap() {
			for _, d := range DamagedIndexes(err) {
				if !slices.Contains(found, d) {
					found = append(found, d)
				}
			}
		}
	} else if d, ok := errors.AsType[*DamagedIndex](err); ok {
		found = append(found, d)
	}
	return found
}

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
//   - The job of a damaged index document mends it, if its followers can be read. The work that reads the
//     document enqueues the job. If the followers cannot be read, mending would lose them, so the job fails.
//     The job records followers who unfollow meanwhile.
//   - Damage that nothing mends becomes a job that has failed: KindDamage. Examples are damaged edges, and
//     relations that Firestore rejects.
//   - The command relationindex repair, with --damaged, mends both.
//   - A rewritten index document is not backfilled. So all its relations are copied, also those that other
//     work had to skip.

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

// Damaged is the error of another document of ours that cannot be read: an edge, or a document with invalid
// index document ids.
type Damaged struct {
	Path    string
	Author  string    // the author whose repair mends it; "": no repair does
	Updated time.Time // update time of the document, if known
	Cause   error
}

func (d *Damaged) Error() string { return fmt.Sprintf("%s: %v: %v", d.Path, ErrDamaged, d.Cause) }
func (d *Damaged) Unwrap() error { return ErrDamaged }

// Joined is an error that joins several errors.
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

// Each returns the errors that err joins, or err; nil: none.
func Each(err error) (all []error) {
	if several, ok := errors.AsType[Joined](err); ok {
		for _, err := range several.Unwrap() {
			all = append(all, Each(err)...)
		}
	} else if err != nil {
		all = append(all, err)
	}
	return all
}

// DamagedIndexes returns the damaged index documents in err, each once.
func DamagedIndexes(err error) (found []*DamagedIndex) {
	for _, err := range Each(err) {
		if d, ok := errors.AsType[*DamagedIndex](err); ok && !slices.Contains(found, d) {
			found = append(found, d)
		}
	}
	return found
}

package relations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/logging"
)

// A damaged document of ours affects only work that needs it:
//
//  - The event that reads a damaged mirror replaces it ([Index.remakeMirror]).
//  - The job of a damaged index document mends it, if its followers can be read. The
//    work that reads the document enqueues the job. If the followers cannot be read,
//    the job would lose them. It fails until you run repair, which finds them by their
//    follower documents.
//  - A mended index document is not backfilled. So all its relations are copied, also
//    those that other work had to skip.

// damagedIndex is the error of an index document that cannot be read.
type damagedIndex struct {
	author, index string
	path          string
	updated       time.Time // update time of the document; identifies this damage
	cause         error
}

func (d *damagedIndex) Error() string { return fmt.Sprintf("%s: %v: %v", d.path, ErrDamaged, d.cause) }
func (d *damagedIndex) Unwrap() error { return ErrDamaged }

func damageOf(doc *firestore.DocumentSnapshot, cause error) *damagedIndex {
	return &damagedIndex{
		author: doc.Ref.Parent.Parent.ID, index: doc.Ref.ID,
		path: doc.Ref.Path, updated: doc.UpdateTime, cause: cause,
	}
}

// damagedMirror is the error of a mirror that cannot be read, or whose index document
// ids are invalid.
type damagedMirror struct {
	path    string
	updated time.Time
	cause   error
}

func (d *damagedMirror) Error() string {
	return fmt.Sprintf("%s: %v: %v", d.path, ErrDamaged, d.cause)
}
func (d *damagedMirror) Unwrap() error { return ErrDamaged }

// joined is an error that joins several.
type joined interface {
	error
	Unwrap() []error
}

// onlyDamaged reports whether err is about damaged documents and nothing else.
func onlyDamaged(err error) bool {
	return onlyOf(err, func(err error) bool { return errors.Is(err, ErrDamaged) })
}

// onlyOf reports whether err, or each error that it joins, is of a kind.
func onlyOf(err error, kind func(error) bool) bool {
	if several, ok := errors.AsType[joined](err); ok {
		return !slices.ContainsFunc(several.Unwrap(), func(err error) bool { return !onlyOf(err, kind) })
	}
	return kind(err)
}

// damagedIndexes returns the damaged index documents in err, each once.
func damagedIndexes(err error) (found []*damagedIndex) {
	if several, ok := errors.AsType[joined](err); ok {
		for _, err := range several.Unwrap() {
			for _, d := range damagedIndexes(err) {
				if !slices.Contains(found, d) {
					found = append(found, d)
				}
			}
		}
	} else if d, ok := errors.AsType[*damagedIndex](err); ok {
		found = append(found, d)
	}
	return found
}

// mendSoon enqueues the jobs that mend the index documents in err. A repeated call for
// the same damage changes nothing. It returns err, joined with errors of enqueueing.
func (x *Index) mendSoon(ctx context.Context, err error) error {
	errs := []error{err}
	for _, d := range damagedIndexes(err) {
		errs = append(errs, x.enqueueMending(ctx, d))
	}
	return errors.Join(errs...)
}

func (x *Index) enqueueMending(ctx context.Context, d *damagedIndex) error {
	return x.enqueueIndexJob(ctx, d.author, d.index, "damaged "+Generation(d.updated))
}

// goPast lets work skip damaged documents. It enqueues the jobs of the index documents
// in err, and logs what was skipped. It returns nil, or the errors of enqueueing, if
// err is about nothing else. Otherwise it returns err too.
func (x *Index) goPast(ctx context.Context, err error) error {
	if !onlyDamaged(err) {
		return x.mendSoon(ctx, err)
	}
	x.opts.Logger.ErrorContext(ctx, "work went past damaged documents; their jobs mend them, or repair", logging.Damage, err)
	var errs []error
	for _, d := range damagedIndexes(err) {
		// A crash before this leaves the page undone. The page meets the document
		// again.
		errs = append(errs, x.enqueueMending(ctx, d))
	}
	return errors.Join(errs...)
}

// readMending is readMeta for the job of index document i of u. It reads the document
// whole. If the document is damaged, it mends it first, unless that would lose
// followers.
func (x *Index) readMending(ctx context.Context, u, i string) (*IndexDocument, error) {
	index, err := x.readChecked(ctx, u, i)
	d, ok := errors.AsType[*damagedIndex](err)
	if !ok {
		return index, err
	}
	// A crash after this leaves a document that is not backfilled. The job, or the next
	// event, continues from there.
	if _, err := x.mendIndexDocument(ctx, u, i, losesNobody); err != nil {
		return nil, err
	}
	x.opts.Logger.ErrorContext(ctx, "index document damaged; mended", logging.Document, d.path, logging.Damage, d.cause)
	return x.readMeta(ctx, u, i)
}

// readChecked is readMeta that also checks the array. It returns ErrDamaged if the
// count or size is wrong.
func (x *Index) readChecked(ctx context.Context, u, i string) (*IndexDocument, error) {
	share, err := x.memory.Take(ctx, x.opts.fullBytes())
	if err != nil {
		return nil, err
	}
	defer share.Release()
	docs, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.indexDocuments(u).Doc(i)})
	if err != nil {
		return nil, err
	}
	if !docs[0].Exists() {
		return nil, nil //nolint:nilnil // a missing document is an answer, not an error
	}
	index, err := decodeMeta(docs[0])
	if err == nil {
		err = miscounted(docs[0], index)
	}
	index.Followers = nil
	return &index, err
}

// miscounted returns ErrDamaged if the count or size of an index document, read whole,
// is wrong. With too low a count, it would be filled beyond what its relations can
// hold.
func miscounted(doc *firestore.DocumentSnapshot, index IndexDocument) error {
	if index.Count == len(index.Followers) && index.SizeBytes == bytesOf(index.Followers) {
		return nil
	}
	return damageOf(doc, fmt.Errorf("it says %d followers of %d bytes, and holds %d", index.Count, index.SizeBytes, len(index.Followers)))
}

// mendOnTheWay leaves miscounted index documents to their jobs. A failure does no harm:
// the next reader of the document does the same.
func (x *Index) mendOnTheWay(ctx context.Context, found []error) {
	for _, d := range damagedIndexes(errors.Join(found...)) {
		if err := x.enqueueMending(ctx, d); err != nil {
			x.opts.Logger.WarnContext(ctx, "job that mends an index document not enqueued; its next reader does it", logging.Document, d.path, logging.Error, err)
		}
	}
}

// losesNobody returns ErrDamaged if the followers of an index document are not an array
// of strings.
func losesNobody(doc *firestore.DocumentSnapshot) error {
	value, err := doc.DataAt(fieldFollowers)
	values, ok := value.([]any)
	if err != nil || !ok || slices.ContainsFunc(values, func(v any) bool { _, ok := v.(string); return !ok }) {
		return damageOf(doc, errors.New("its followers cannot be read: run relationindex repair"))
	}
	return nil
}

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

// A document of ours that cannot be read harms those alone who need it:
//
//   - a mirror is made anew by the event that meets it ([Index.remakeMirror]);
//   - an index document is mended by its job, which whoever meets the document
//     enqueues, if its followers can be read. If they cannot, the job would lose
//     them: it fails until a person runs repair, which finds them by their
//     follower documents;
//   - a document that was mended is not backfilled. So all its relations are
//     copied, those too that others had to leave out meanwhile.

// damagedIndex is the error of an index document that cannot be read.
type damagedIndex struct {
	author, index string
	path          string
	updated       time.Time // of the document: the name of this damage
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

// damagedMirror is the error of a mirror that cannot be read, or names no index documents.
type damagedMirror struct {
	path    string
	updated time.Time
	cause   error
}

func (d *damagedMirror) Error() string {
	return fmt.Sprintf("%s: %v: %v", d.path, ErrDamaged, d.cause)
}
func (d *damagedMirror) Unwrap() error { return ErrDamaged }

// joined is an error of several.
type joined interface {
	error
	Unwrap() []error
}

// onlyDamaged reports that err is of damaged documents, and of nothing else.
func onlyDamaged(err error) bool {
	return onlyOf(err, func(err error) bool { return errors.Is(err, ErrDamaged) })
}

// onlyOf reports that err is of a kind: of several joined errors, all are.
func onlyOf(err error, kind func(error) bool) bool {
	if several, ok := errors.AsType[joined](err); ok {
		return !slices.ContainsFunc(several.Unwrap(), func(err error) bool { return !onlyOf(err, kind) })
	}
	return kind(err)
}

// damagedIndexes are the index documents that err is of, each once.
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

// mendSoon leaves the index documents that err is of to their jobs. Twice for
// one damage is once. It returns err, and what went wrong with that.
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

// goPast leaves the index documents that err is of to their jobs and says in the
// log that the work went on without them. It returns nil if err is of nothing else.
func (x *Index) goPast(ctx context.Context, err error) error {
	if !onlyDamaged(err) {
		return x.mendSoon(ctx, err)
	}
	x.opts.Logger.ErrorContext(ctx, "work went past damaged documents; their jobs mend them, or repair", logging.Damage, err)
	var errs []error
	for _, d := range damagedIndexes(err) {
		// A crash before it leaves the page undone: it meets the document again.
		errs = append(errs, x.enqueueMending(ctx, d))
	}
	return errors.Join(errs...)
}

// readMending is readMeta for the job of index document i of u, which reads it
// whole and mends it first where that loses no follower.
func (x *Index) readMending(ctx context.Context, u, i string) (*IndexDocument, error) {
	index, err := x.readChecked(ctx, u, i)
	d, ok := errors.AsType[*damagedIndex](err)
	if !ok {
		return index, err
	}
	// A crash after it leaves a document that is not backfilled: the job, or the
	// next event, goes on from there.
	if _, err := x.mendIndexDocument(ctx, u, i, losesNobody); err != nil {
		return nil, err
	}
	x.opts.Logger.ErrorContext(ctx, "index document damaged; mended", logging.Document, d.path, logging.Damage, d.cause)
	return x.readMeta(ctx, u, i)
}

// readChecked is readMeta that returns ErrDamaged for what only a reader of the
// followers sees too.
func (x *Index) readChecked(ctx context.Context, u, i string) (*IndexDocument, error) {
	held, err := x.flight.take(ctx, x.opts.fullBytes())
	if err != nil {
		return nil, err
	}
	defer held.release()
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

// miscounted is ErrDamaged if an index document that was read whole says that it
// holds other than it does. One that says less would be filled beyond what its
// relations can hold.
func miscounted(doc *firestore.DocumentSnapshot, index IndexDocument) error {
	if index.Count == len(index.Followers) && index.SizeBytes == bytesOf(index.Followers) {
		return nil
	}
	return damageOf(doc, fmt.Errorf("it says %d followers of %d bytes, and holds %d", index.Count, index.SizeBytes, len(index.Followers)))
}

// mendOnTheWay leaves miscounted index documents to their jobs. That it may fail
// does no harm: who reads them next does it again.
func (x *Index) mendOnTheWay(ctx context.Context, found []error) {
	for _, d := range damagedIndexes(errors.Join(found...)) {
		if err := x.enqueueMending(ctx, d); err != nil {
			x.opts.Logger.WarnContext(ctx, "job that mends an index document not enqueued; its next reader does it", logging.Document, d.path, logging.Error, err)
		}
	}
}

// losesNobody is ErrDamaged if the followers of an index document are no array
// of strings.
func losesNobody(doc *firestore.DocumentSnapshot) error {
	value, err := doc.DataAt(fieldFollowers)
	values, ok := value.([]any)
	if err != nil || !ok || slices.ContainsFunc(values, func(v any) bool { _, ok := v.(string); return !ok }) {
		return damageOf(doc, errors.New("its followers cannot be read: run relationindex repair"))
	}
	return nil
}

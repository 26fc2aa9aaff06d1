package followers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/logging"
	"example.com/relationindex/schema"
)

// MendSoon enqueues the jobs that mend the index documents in err. A repeated call for
// the same damage changes nothing. It returns err, joined with errors of enqueueing.
func (x *Graph) MendSoon(ctx context.Context, err error) error {
	errs := []error{err}
	for _, d := range schema.DamagedIndexes(err) {
		errs = append(errs, x.EnqueueMending(ctx, d))
	}
	return errors.Join(errs...)
}

// EnqueueMending enqueues the job that mends an index document. A repeated call for the same
// damage changes nothing.
func (x *Graph) EnqueueMending(ctx context.Context, d *schema.DamagedIndex) error {
	return x.enqueueIndexJob(ctx, d.Author, d.Index, "damaged "+schema.Generation(d.Updated))
}

// SkipDamaged lets work skip damaged documents. It enqueues the jobs of the index documents
// in err, and logs what was skipped. It returns nil, or the errors of enqueueing, if
// err is about nothing else. Otherwise it returns err too.
func (x *Graph) SkipDamaged(ctx context.Context, err error) error {
	if !schema.OnlyDamaged(err) {
		return x.MendSoon(ctx, err)
	}
	x.db.Options.Logger.ErrorContext(ctx, "damaged documents skipped; their jobs or relationindex repair mend them", logging.Damage, err)
	var errs []error
	for _, d := range schema.DamagedIndexes(err) {
		// A crash before this leaves the page undone. The page meets the document
		// again.
		errs = append(errs, x.EnqueueMending(ctx, d))
	}
	return errors.Join(errs...)
}

// ReadMending is ReadMeta for the job of index document i of u. It reads the document
// whole. If the document is damaged, it mends it first, unless that would lose
// followers.
func (x *Graph) ReadMending(ctx context.Context, u, i string) (*schema.IndexDocument, error) {
	index, err := x.readChecked(ctx, u, i)
	d, ok := errors.AsType[*schema.DamagedIndex](err)
	if !ok {
		return index, err
	}
	// A crash after this leaves a document that is not backfilled. The job, or the next
	// event, continues from there.
	if _, err := x.MendIndexDocument(ctx, u, i, losesNobody); err != nil {
		return nil, err
	}
	x.db.Options.Logger.ErrorContext(ctx, "index document damaged; mended", logging.Document, d.Path, logging.Damage, d.Cause)
	return x.ReadMeta(ctx, u, i)
}

// readChecked is ReadMeta that also checks the array. It returns ErrDamaged if the
// count or size is wrong.
func (x *Graph) readChecked(ctx context.Context, u, i string) (*schema.IndexDocument, error) {
	share, err := x.Pool.Memory.Take(ctx, x.db.Options.FullBytes())
	if err != nil {
		return nil, err
	}
	defer share.Release()
	docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.IndexDocuments(u).Doc(i)})
	if err != nil {
		return nil, err
	}
	if !docs[0].Exists() {
		return nil, nil //nolint:nilnil // a missing document is an answer, not an error
	}
	index, err := schema.DecodeIndexDocument(docs[0])
	if err == nil {
		err = Miscounted(docs[0], index)
	}
	index.Followers = nil
	return &index, err
}

// Miscounted returns ErrDamaged if the count or size of an index document, read whole,
// is wrong. With too low a count, it would be filled beyond what its relations can
// hold.
func Miscounted(doc *firestore.DocumentSnapshot, index schema.IndexDocument) error {
	if index.Count == len(index.Followers) && index.SizeBytes == schema.IDsBytes(index.Followers) {
		return nil
	}
	return schema.NewDamagedIndex(doc, fmt.Errorf("count is %d and sizeBytes %d, but it holds %d followers", index.Count, index.SizeBytes, len(index.Followers)))
}

// MendOnTheWay leaves miscounted index documents to their jobs. A failure does no harm:
// the next reader of the document does the same.
func (x *Graph) MendOnTheWay(ctx context.Context, found []error) {
	for _, d := range schema.DamagedIndexes(errors.Join(found...)) {
		if err := x.EnqueueMending(ctx, d); err != nil {
			x.db.Options.Logger.WarnContext(ctx, "index document's repair job not enqueued; the next reader enqueues it", logging.Document, d.Path, logging.Error, err)
		}
	}
}

// losesNobody returns ErrDamaged if the followers of an index document are not an array
// of strings.
func losesNobody(doc *firestore.DocumentSnapshot) error {
	value, err := doc.DataAt(schema.FieldFollowers)
	values, ok := value.([]any)
	if err != nil || !ok || slices.ContainsFunc(values, func(v any) bool { _, ok := v.(string); return !ok }) {
		return schema.NewDamagedIndex(doc, errors.New("its followers cannot be read: run relationindex repair"))
	}
	return nil
}

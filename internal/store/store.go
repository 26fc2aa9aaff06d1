package store

import (
	"context"
	"errors"
	"slices"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// GetMaybe reads a document that may not exist, in a transaction.
func GetMaybe(tx *firestore.Transaction, ref *firestore.DocumentRef) (*firestore.DocumentSnapshot, error) {
	snaps, err := tx.GetAll([]*firestore.DocumentRef{ref})
	if err != nil {
		return nil, err
	}
	return snaps[0], nil
}

// ErrStale ends a transaction whose plan no longer fits its reads. The caller plans again.
var ErrStale = errors.New("plan is stale")

// IsStale reports whether err means that a document was changed, created or deleted
// after it was read. The caller plans again.
func IsStale(err error) bool {
	if errors.Is(err, ErrStale) {
		return true
	}
	switch status.Code(err) {
	case codes.FailedPrecondition, codes.NotFound, codes.AlreadyExists:
		return true
	default:
		return false
	}
}

// IsContention reports whether err means that others write the same documents: err is stale, or locks have
// aborted a transaction and its retries. The caller plans again, later.
func IsContention(err error) bool { return IsStale(err) || status.Code(err) == codes.Aborted }

// Values returns ids as values of an array transform.
func Values(ids []string) []any {
	out := make([]any, len(ids))
	for n, id := range ids {
		out[n] = id
	}
	return out
}

// ListPage returns at most limit documents of a query, in the order of their names, after
// the document after.
func ListPage(ctx context.Context, q firestore.Query, after *firestore.DocumentRef, limit int) ([]*firestore.DocumentSnapshot, error) {
	q = q.OrderBy(firestore.DocumentID, firestore.Asc).Limit(limit)
	if after != nil {
		q = q.StartAfter(after)
	}
	return q.Documents(ctx).GetAll()
}

// DeleteAsListed deletes a document on condition that it has not changed since it was read.
func DeleteAsListed(ctx context.Context, doc *firestore.DocumentSnapshot) error {
	_, err := doc.Ref.Delete(ctx, firestore.LastUpdateTime(doc.UpdateTime))
	return err
}

// Chunks splits items into parts of at most size.
func Chunks[T any](items []T, size int) [][]T { return slices.Collect(slices.Chunk(items, size)) }

// MaxIn is how many values an `in` filter may have (Firestore's "Perform simple and compound queries").
const MaxIn = 30

// Existing returns which ids have a document in a collection. It reads no fields, and costs a read for each document, and
// at least one for each [MaxIn] ids.
func Existing(ctx context.Context, in *firestore.CollectionRef, ids []string) (map[string]bool, error) {
	there := map[string]bool{}
	for part := range slices.Chunk(ids, MaxIn) {
		var refs []*firestore.DocumentRef
		for _, id := range part {
			refs = append(refs, in.Doc(id))
		}
		docs, err := in.Where(firestore.DocumentID, "in", refs).Select().Documents(ctx).GetAll()
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			there[doc.Ref.ID] = true
		}
	}
	return there, nil
}

// IsRejected reports whether Firestore permanently rejects a request, so that no retry
// helps.
func IsRejected(err error) bool { return status.Code(err) == codes.InvalidArgument }

package chunker

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Query returns the documents of the job's Collection. Unless Field is "", it returns
// only those whose Field equals Value. An invalid Collection is a [Permanent] error.
func (j Job) Query(client *firestore.Client) (firestore.Query, error) {
	c := client.Collection(j.Collection)
	switch {
	case c == nil:
		return firestore.Query{}, Permanent(fmt.Errorf("collection %q: not the path of a collection", j.Collection))
	case j.Field == "":
		return c.Query, nil
	default:
		return c.Where(j.Field, "==", j.Value), nil
	}
}

// ChangeFunc returns the changes to a document; none leaves it as it is. It is called
// again if the document has changed meanwhile, or if a page is repeated. A document
// that already has the changes must then need none.
type ChangeFunc func(ctx context.Context, job Job, doc *firestore.DocumentSnapshot) ([]firestore.Update, error)

// BulkUpdate returns a task that changes the documents of a query, at most parallel at
// once. If a document changes at the same time, the task reads and changes it again. It
// skips a deleted document. The query must have no order and no limit.
//
// It costs a read for each document, a write for each that changes, and first one read
// for each thousand to count them.
func BulkUpdate(kind string, parallel int, query QueryFunc, change ChangeFunc) Task {
	return bulk(kind, parallel, query, Change(change))
}

// Change returns the ApplyFunc of BulkUpdate, for use in a task of your own.
func Change(change ChangeFunc) ApplyFunc {
	return func(ctx context.Context, job Job, doc *firestore.DocumentSnapshot) error {
		for {
			updates, err := change(ctx, job, doc)
			if err != nil || len(updates) == 0 {
				return err
			}
			// The precondition keeps a late duplicate of this step from undoing newer
			// writes.
			_, err = doc.Ref.Update(ctx, updates, firestore.LastUpdateTime(doc.UpdateTime))
			if status.Code(err) != codes.FailedPrecondition {
				return unlessGone(err)
			}
			if doc, err = doc.Ref.Get(ctx); err != nil {
				return unlessGone(err)
			}
		}
	}
}

func unlessGone(err error) error {
	if status.Code(err) == codes.NotFound {
		return nil
	}
	return err
}

// BulkDelete returns a task that deletes the documents of a query, at most parallel at
// once. Their subcollections stay. The query must have no order and no limit. A query
// that selects no fields saves their transfer.
//
// It costs a read and a delete for each document, and first one read for each thousand
// to count them.
func BulkDelete(kind string, parallel int, query QueryFunc) Task {
	return bulk(kind, parallel, query, func(ctx context.Context, _ Job, doc *firestore.DocumentSnapshot) error {
		_, err := doc.Ref.Delete(ctx)
		return err
	})
}

// bulk returns a task that counts the documents, then walks them.
func bulk(kind string, parallel int, query QueryFunc, apply ApplyFunc) Task {
	return Task{Kind: kind, Phases: []Phase{
		{Name: "count", Page: CountFirst(query)},
		{Name: "documents", Page: Walk(parallel, query, apply)},
	}}
}

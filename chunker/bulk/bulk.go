package bulk

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
)

// Query returns the documents of the job's Collection. Unless Field is "", it returns
// only those whose Field equals Value. An invalid Collection is a permanent error: see
// [chunker.Permanent].
func Query(client *firestore.Client, job chunker.Job) (firestore.Query, error) {
	c := client.Collection(job.Collection)
	switch {
	case c == nil:
		return firestore.Query{}, chunker.Permanent(fmt.Errorf("collection %q: not the path of a collection", job.Collection))
	case job.Field == "":
		return c.Query, nil
	default:
		return c.Where(job.Field, "==", job.Value), nil
	}
}

// ChangeFunc returns the changes to a document; none leaves the document as it is. It is called again if the
// document has changed meanwhile, or if a page is repeated. For a document that already has the changes, it
// must then return none.
type ChangeFunc func(ctx context.Context, job chunker.Job, doc *firestore.DocumentSnapshot) ([]firestore.Update, error)

// Update returns a task that changes the documents of a query, at most parallel at
// once. If a document changes at the same time, the task reads and changes it again. It
// skips a deleted document. The query must have no order and no limit.
//
// It costs a read for each document, a write for each that changes, and first one read
// for each thousand to count them.
func Update(kind string, parallel int, query QueryFunc, change ChangeFunc) chunker.Task {
	return countAndWalk(kind, parallel, query, Change(change))
}

// Change returns the ApplyFunc of Update, for use in a task of your own.
func Change(change ChangeFunc) ApplyFunc {
	return func(ctx context.Context, job chunker.Job, doc *firestore.DocumentSnapshot) error {
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

// Delete returns a task that deletes the documents of a query, at most parallel at
// once. Their subcollections stay. The query must have no order and no limit. A query
// that selects no fields saves their transfer.
//
// It costs a read and a delete for each document, and first one read for each thousand
// to count them.
func Delete(kind string, parallel int, query QueryFunc) chunker.Task {
	return countAndWalk(kind, parallel, query, func(ctx context.Context, _ chunker.Job, doc *firestore.DocumentSnapshot) error {
		_, err := doc.Ref.Delete(ctx)
		return err
	})
}

// countAndWalk returns a task that counts the documents, then walks them.
func countAndWalk(kind string, parallel int, query QueryFunc, apply ApplyFunc) chunker.Task {
	return chunker.Task{Kind: kind, Phases: []chunker.Phase{
		{Name: "count", Page: CountFirst(query)},
		{Name: "documents", Page: Walk(parallel, query, apply)},
	}}
}

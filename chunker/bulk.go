package chunker

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Query is the documents of the job's Collection, those alone whose Field is
// equal to Value unless Field is "".
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

// ChangeFunc says what is to be changed in a document; nothing leaves it as it
// is. It is called again when the document has changed meanwhile, and when a
// page is done a second time: the same document must then need no change.
type ChangeFunc func(ctx context.Context, job Job, doc *firestore.DocumentSnapshot) ([]firestore.Update, error)

// BulkUpdate is a task that changes the documents of a query, at most parallel
// at a time. A document that somebody else changes at the same time is read and
// changed again; one that is deleted is passed over. The query must not have an
// order or a limit of its own.
//
// It costs a read and a write for each document, and one read for each thousand
// to know the total beforehand.
func BulkUpdate(kind string, parallel int, query QueryFunc, change ChangeFunc) Task {
	return bulk(kind, parallel, query, Change(change))
}

// Change is the ApplyFunc of BulkUpdate, for a task that has more to it.
func Change(change ChangeFunc) ApplyFunc {
	return func(ctx context.Context, job Job, doc *firestore.DocumentSnapshot) error {
		for {
			updates, err := change(ctx, job, doc)
			if err != nil || len(updates) == 0 {
				return err
			}
			// A late twin of this step cannot undo what was written since.
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

// BulkDelete is a task that deletes the documents of a query, at most parallel
// at a time. Their subcollections stay. The query must not have an order or a
// limit of its own; one that selects no fields saves their transfer.
//
// It costs a read and a delete for each document, and one read for each
// thousand to know the total beforehand.
func BulkDelete(kind string, parallel int, query QueryFunc) Task {
	return bulk(kind, parallel, query, func(ctx context.Context, _ Job, doc *firestore.DocumentSnapshot) error {
		_, err := doc.Ref.Delete(ctx)
		return err
	})
}

// bulk counts, and then walks.
func bulk(kind string, parallel int, query QueryFunc, apply ApplyFunc) Task {
	return Task{Kind: kind, Phases: []Phase{
		{Name: "count", Page: CountFirst(query)},
		{Name: "documents", Page: Walk(parallel, query, apply)},
	}}
}

package chunker

import (
	"context"
	"fmt"
	"strings"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Query is the documents that the job's Collection, Field and Value name:
// those of a collection ("posts", "users/ada/notes") or, after "**/", of all
// collections with an id ("**/notes"), whose field is equal to the value. The
// latter with a field needs an index on it with the scope COLLECTION_GROUP,
// which no field has by itself.
func (j Job) Query(client *firestore.Client) (firestore.Query, error) {
	var q firestore.Query
	id, group := strings.CutPrefix(j.Collection, "**/")
	switch c := client.Collection(j.Collection); {
	case group && id != "" && !strings.Contains(id, "/"):
		q = client.CollectionGroup(id).Query
	case !group && c != nil:
		q = c.Query
	default:
		return q, Permanent(fmt.Errorf("collection %q: want the path of a collection, or **/ and its id", j.Collection))
	}
	if j.Field != "" {
		q = q.Where(j.Field, "==", j.Value)
	}
	return q, nil
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

// CountFirst is a phase before a walk over the same query that tells the job's
// total. It costs one read for each thousand documents.
func CountFirst(query QueryFunc) PageFunc {
	return func(ctx context.Context, job Job, _ *firestore.DocumentRef, _ int) (Page, error) {
		q, err := query(job)
		if err != nil {
			return Page{}, err
		}
		total, err := Count(ctx, job.within(q.OrderBy(firestore.DocumentID, firestore.Asc), nil))
		if err != nil {
			return Page{}, err
		}
		return Page{Total: &total}, nil
	}
}

// Count is the number of documents of a query. It costs one read for each
// thousand.
func Count(ctx context.Context, q firestore.Query) (int64, error) {
	const alias = "n"
	result, err := q.NewAggregationQuery().WithCount(alias).Get(ctx)
	if err != nil {
		return 0, err
	}
	v, ok := result[alias].(*pb.Value)
	if !ok {
		return 0, fmt.Errorf("count: answer is a %T", result[alias])
	}
	return v.GetIntegerValue(), nil
}

package clientrules

import (
	"context"
	"errors"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A request is one thing that a client does. Its error is the server's answer, unchanged.
type request func(context.Context, *firestore.Client) error

// A query selects documents; it is made when the client is there.
type query func(*firestore.Client) firestore.Query

// fields is a document's content.
type fields = map[string]any

// get reads a document. Being told that it is not there is an answer: the rules let the question through.
func get(path string) request {
	return func(ctx context.Context, db *firestore.Client) error {
		_, err := db.Doc(path).Get(ctx)
		if status.Code(err) == codes.NotFound {
			return nil
		}
		return err
	}
}

// list runs a query once.
func list(q query) request {
	return func(ctx context.Context, db *firestore.Client) error {
		_, err := q(db).Documents(ctx).GetAll()
		return err
	}
}

// listen attaches to a query and waits for its first answer, as the mobile and web libraries do for every query.
func listen(q query) request {
	return func(ctx context.Context, db *firestore.Client) error {
		it := q(db).Snapshots(ctx)
		defer it.Stop()
		snapshot, err := it.Next()
		if err != nil {
			return err
		}
		_, err = snapshot.Documents.Next()
		if errors.Is(err, iterator.Done) {
			return nil
		}
		return err
	}
}

// count counts what a query finds, without reading it.
func count(q query) request {
	return func(ctx context.Context, db *firestore.Client) error {
		query := q(db)
		_, err := query.NewAggregationQuery().WithCount("n").Get(ctx)
		return err
	}
}

// collection selects all of a collection.
func collection(path string) query {
	return func(db *firestore.Client) firestore.Query { return db.Collection(path).Query }
}

// group selects all collections of an id, wherever they are.
func group(id string) query {
	return func(db *firestore.Client) firestore.Query { return db.CollectionGroup(id).Query }
}

// create writes a document that must not be there.
func create(path string, data fields) request {
	return func(ctx context.Context, db *firestore.Client) error {
		_, err := db.Doc(path).Create(ctx, data)
		return err
	}
}

// set writes a whole document, there or not.
func set(path string, data fields) request {
	return func(ctx context.Context, db *firestore.Client) error {
		_, err := db.Doc(path).Set(ctx, data)
		return err
	}
}

// merge writes the given fields and leaves the others, there or not.
func merge(path string, data fields) request {
	return func(ctx context.Context, db *firestore.Client) error {
		_, err := db.Doc(path).Set(ctx, data, firestore.MergeAll)
		return err
	}
}

// update writes one field of a document that must be there; firestore.Delete removes it.
func update(path, field string, value any) request {
	return func(ctx context.Context, db *firestore.Client) error {
		_, err := db.Doc(path).Update(ctx, []firestore.Update{{Path: field, Value: value}})
		return err
	}
}

// remove deletes a document, there or not.
func remove(path string) request {
	return func(ctx context.Context, db *firestore.Client) error {
		_, err := db.Doc(path).Delete(ctx)
		return err
	}
}

// atomically does a delete and a write of one document in the same commit.
func atomically(deleted string, data fields) request {
	return func(ctx context.Context, db *firestore.Client) error {
		return db.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			return errors.Join(tx.Delete(db.Doc(deleted)), tx.Set(db.Doc(deleted), data))
		})
	}
}

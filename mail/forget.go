package mail

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/followers"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
)

// Forget returns the documents that name a deleted account: mail to it, and mail of its posts
// unless posts are kept. It does not matter whether mail is on.
func (x *Delivery) Forget() []followers.Forgotten {
	return []followers.Forgotten{{Name: "mail", Documents: x.naming, Remove: x.forget}}
}

func (x *Delivery) naming(u string) firestore.Query {
	reader := firestore.PropertyFilter{Path: fieldReaders, Operator: "array-contains", Value: u}
	var either firestore.EntityFilter = reader
	if !x.db.Options.KeepPosts {
		author := firestore.PropertyFilter{Path: fieldAuthor, Operator: "==", Value: u}
		either = firestore.OrFilter{Filters: []firestore.EntityFilter{reader, author}}
	}
	return x.documents().WhereEntity(either).Select(fieldReaders, fieldPost, fieldAuthor, "delivery")
}

// forget takes account u out of documents as they were listed: it deletes mail of u's posts, and
// mail to u alone. What the extension says of a delivery names addresses, so it goes too, but
// for its state. Documents that are not ours stay.
//
// It costs a write or a delete for each document. A crash leaves the others; the page is
// repeated.
func (x *Delivery) forget(ctx context.Context, u string, docs []*firestore.DocumentSnapshot, while func(*firestore.Transaction) error) (stale int, err error) {
	return work.Each(ctx, x.graph.Pool, store.Chunks(docs, 100), func(ctx context.Context, part []*firestore.DocumentSnapshot) error {
		return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			if err := while(tx); err != nil {
				return err
			}
			for _, doc := range part {
				if err := x.without(tx, u, doc); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (x *Delivery) without(tx *firestore.Transaction, u string, doc *firestore.DocumentSnapshot) error {
	if _, err := doc.DataAt(fieldPost); err != nil {
		return nil //nolint:nilerr // an app's own mail
	}
	listed := firestore.LastUpdateTime(doc.UpdateTime)
	author, _ := doc.DataAt(fieldAuthor)
	if author == u || len(readersOf(doc)) < 2 {
		return tx.Delete(doc.Ref, listed)
	}
	updates := []firestore.Update{{Path: fieldReaders, Value: firestore.ArrayRemove(u)}}
	for _, field := range []string{"delivery.info", "delivery.error"} {
		// The extension does not send a document that has a delivery without a state.
		if _, err := doc.DataAt(field); err == nil {
			updates = append(updates, firestore.Update{Path: field, Value: firestore.Delete})
		}
	}
	return tx.Update(doc.Ref, updates, listed)
}

package testkit

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/sending"
)

// Notes returns a delivery that writes a note for each reader: notes/{post}~{reader}, with post,
// reader, author and kind. Its field times is 1, unless the same note was written twice.
func Notes() schema.Delivery {
	return schema.Delivery{Name: "notes", Bring: bringNotes, Forget: forgetNotes}
}

func bringNotes(_ context.Context, db *firestore.Client, tx *firestore.Transaction, post schema.NewPost, readers []string) error {
	if len(readers) == 0 || len(readers) > sending.MaxReaders {
		return fmt.Errorf("notes for %d readers at once", len(readers))
	}
	refs := make([]*firestore.DocumentRef, len(readers))
	for n, r := range readers {
		refs[n] = db.Doc("notes/" + post.ID + "~" + r)
	}
	docs, err := tx.GetAll(refs)
	if err != nil {
		return err
	}
	for n, doc := range docs {
		if doc.Exists() {
			continue
		}
		note := map[string]any{"post": post.ID, "reader": readers[n], "author": post.Author, "kind": post.Kind, "times": firestore.Increment(1)}
		if err := tx.Set(refs[n], note, firestore.MergeAll); err != nil {
			return err
		}
	}
	return nil
}

// forgetNotes finds the notes that a deleted account leaves: notes for the account, and notes of its
// posts.
func forgetNotes(db *firestore.Client, account string) firestore.Query {
	return db.Collection("notes").WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
		firestore.PropertyFilter{Path: "reader", Operator: "==", Value: account},
		firestore.PropertyFilter{Path: "author", Operator: "==", Value: account},
	}})
}

package feeds

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/social"
)

// Unread is a delivery: a document unread/{id} for each reader of a new post, with reader, post and author, which the app
// deletes when the reader has seen it. So the app counts what is new by one query.
func Unread() social.Delivery {
	return social.Delivery{Name: "unread", Bring: mark, Forget: marksOf}
}

func mark(_ context.Context, db *firestore.Client, tx *firestore.Transaction, post social.NewPost, readers []string) error {
	for _, reader := range readers {
		sum := sha256.Sum256([]byte(post.ID + "/" + reader)) // ids of both may be long
		// A page that is repeated sets the mark again. A reader who has seen the post by then sees the mark once more: a mark is
		// a hint, and to keep a record of those who have seen the post would cost a document that stays.
		err := tx.Set(db.Collection("unread").Doc(hex.EncodeToString(sum[:])), map[string]any{
			"reader": reader, "post": post.ID, "author": post.Author,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func marksOf(db *firestore.Client, account string) firestore.Query {
	return db.Collection("unread").WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
		firestore.PropertyFilter{Path: "reader", Operator: "==", Value: account},
		firestore.PropertyFilter{Path: "author", Operator: "==", Value: account},
	}})
}

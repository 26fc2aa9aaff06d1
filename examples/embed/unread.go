package feeds

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/social"
)

// Unread is a delivery: a document unread/{id} for each reader of a new post, with reader, post and author. The app
// deletes the document when the reader has seen the post. So one query counts the new posts.
func Unread() social.Delivery {
	return social.Delivery{Name: "unread", Bring: mark, Forget: marksOf}
}

func mark(_ context.Context, db *firestore.Client, tx *firestore.Transaction, post social.NewPost, readers []string) error {
	for _, reader := range readers {
		sum := sha256.Sum256([]byte(post.ID + "/" + reader)) // both ids may be long
		// A repeated page sets the mark again. A reader who has seen the post meanwhile sees the mark once more. A mark is only
		// a hint, and a record of the readers who have seen the post would cost a document that stays.
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

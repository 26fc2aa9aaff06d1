// Package mail sends new posts to their readers by mail. It writes documents for Firebase's function kit
// firestore-send-email, which sends the mail. README.md says how to set it up.
package mail

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/social"
)

// Delivery writes mail/{id} for each reader of a new post, with the template of this name. Add it to the functions:
//
//	functions.Register(relationindex.FirestoreIndexes, func(c *social.Config) {
//		c.Deliveries = append(c.Deliveries, mail.Delivery("new-post"))
//	})
func Delivery(template string) social.Delivery {
	return social.Delivery{
		Name:  "mail",
		Daily: 20, // more than a reader needs from one author
		Bring: func(_ context.Context, db *firestore.Client, tx *firestore.Transaction, post social.NewPost, readers []string) error {
			return write(db, tx, template, post, readers)
		},
		Forget: of,
	}
}

// write writes a document for each reader without a mail for this post. It costs a read for each reader, and a write for each mail.
func write(db *firestore.Client, tx *firestore.Transaction, template string, post social.NewPost, readers []string) error {
	refs := make([]*firestore.DocumentRef, len(readers))
	for n, reader := range readers {
		refs[n] = db.Collection("mail").Doc(idOf(post.ID, reader))
	}
	docs, err := tx.GetAll(refs)
	if err != nil {
		return err
	}
	for n, doc := range docs {
		if doc.Exists() {
			continue
		}
		err := tx.Create(refs[n], map[string]any{
			"toUids": []string{readers[n]},
			"author": post.Author,
			"template": map[string]any{
				"name": template,
				"data": map[string]any{"post": post.ID, "author": post.Author, "kind": post.Kind},
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// idOf returns the id of the mail of a post to a reader. The ids of both may be long.
func idOf(post, reader string) string {
	sum := sha256.Sum256([]byte(post + "/" + reader))
	return hex.EncodeToString(sum[:])
}

// of returns the query for mail to an account, and for mail of its posts.
func of(db *firestore.Client, account string) firestore.Query {
	return db.Collection("mail").WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
		firestore.PropertyFilter{Path: "toUids", Operator: "array-contains", Value: account},
		firestore.PropertyFilter{Path: "author", Operator: "==", Value: account},
	}})
}

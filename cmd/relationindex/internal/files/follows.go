package files

import (
	"fmt"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Follows returns the kind of follows, users/{followed}/followers/{follower}. A file has the columns
// follower and followed, and may have createdAt.
func Follows(c names.Collections) Kind {
	c = c.WithDefaults()
	return Kind{
		required: []string{"follower", "followed"}, optional: []string{"createdAt"},
		exported: []string{"follower", "followed", "createdAt"},
		query: func(client *firestore.Client) firestore.Query {
			return client.CollectionGroup(c.Followers).Select(schema.FieldCreatedAt)
		},
		row:      func(doc *firestore.DocumentSnapshot) ([]string, error) { return followRow(c, doc) },
		document: func(row rows.Row) (Document, error) { return followDocument(c, row) },
	}
}

func followRow(c names.Collections, doc *firestore.DocumentSnapshot) ([]string, error) {
	user := doc.Ref.Parent.Parent
	if user == nil || user.Parent.ID != c.Users || user.Parent.Parent != nil {
		return nil, rows.ErrNone
	}
	if err := schema.CheckFollow(user.ID, doc.Ref.ID); err != nil {
		return nil, err
	}
	at, err := createdAt(doc, schema.FieldsOf(doc, schema.FieldCreatedAt))
	return []string{doc.Ref.ID, user.ID, at}, err
}

func followDocument(c names.Collections, row rows.Row) (Document, error) {
	follower, followed := row.Get("follower"), row.Get("followed")
	if err := rows.ParseID(follower); err != nil {
		return Document{}, fmt.Errorf("follower: %w", err)
	}
	if err := rows.ParseID(followed); err != nil {
		return Document{}, fmt.Errorf("followed: %w", err)
	}
	if follower == followed {
		return Document{}, ErrSelfFollow
	}
	if err := schema.CheckFollow(followed, follower); err != nil {
		return Document{}, err
	}
	var createdAt any = firestore.ServerTimestamp
	if row.Has("createdAt") {
		at, err := rows.ParseTime(row.Get("createdAt"))
		if err != nil {
			return Document{}, fmt.Errorf("createdAt: %w", err)
		}
		createdAt = at
	}
	return Document{
		Path: c.Users + "/" + followed + "/" + c.Followers + "/" + follower,
		Data: map[string]any{schema.FieldCreatedAt: createdAt},
	}, nil
}

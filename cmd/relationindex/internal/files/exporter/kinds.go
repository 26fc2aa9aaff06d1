package exporter

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/cmd/relationindex/internal/files/edgelist"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Kind is what is exported: [Follows] or [Posts].
type Kind struct {
	columns []string
	query   func(*firestore.Client) firestore.Query

	// row returns the values of a document, none if it is not of the kind.
	row func(*firestore.DocumentSnapshot) ([]string, error)
}

// Spec returns the columns as the import command takes them.
func (k Kind) Spec() string {
	_, spec := edgelist.Header(k.columns...)
	return spec
}

// Follows are the follow documents, users/{followed}/followers/{follower}.
func Follows(c names.Collections) Kind {
	c = c.WithDefaults()
	return Kind{
		columns: []string{"follower", "followed", "createdAt"},
		query: func(client *firestore.Client) firestore.Query {
			return client.CollectionGroup(c.Followers).Select(schema.FieldCreatedAt)
		},
		row: func(doc *firestore.DocumentSnapshot) ([]string, error) {
			user := doc.Ref.Parent.Parent
			if user == nil || user.Parent.ID != c.Users || user.Parent.Parent != nil {
				return nil, nil
			}
			if err := schema.CheckFollow(user.ID, doc.Ref.ID); err != nil {
				return nil, err
			}
			at, err := createdAt(doc, schema.FieldsOf(doc, schema.FieldCreatedAt))
			return []string{doc.Ref.ID, user.ID, at}, err
		},
	}
}

// Posts are the posts, posts/{id}.
func Posts(c names.Collections) Kind {
	c = c.WithDefaults()
	return Kind{
		columns: []string{"id", "author", "createdAt", "audience", "hidden"},
		query: func(client *firestore.Client) firestore.Query {
			return client.Collection(c.Posts).Select(schema.FieldUserID, schema.FieldCreatedAt, schema.FieldAudience, schema.FieldHidden)
		},
		row: func(doc *firestore.DocumentSnapshot) ([]string, error) {
			fields := schema.FieldsOf(doc, schema.FieldUserID, schema.FieldCreatedAt, schema.FieldAudience, schema.FieldHidden)
			if err := schema.CheckPostID(doc.Ref.ID); err != nil {
				return nil, err
			}
			author, ok := fields[schema.FieldUserID].(string)
			if !ok {
				return nil, fmt.Errorf("%s is not a string", schema.FieldUserID)
			}
			if err := schema.CheckAccountID(author); err != nil {
				return nil, fmt.Errorf("%s: %w", schema.FieldUserID, err)
			}
			hidden := fields[schema.FieldHidden] == true
			seen := maps.Clone(fields)
			delete(seen, schema.FieldHidden) // who sees it when it is shown again
			audience, err := schema.AudienceOf(author, seen)
			if err != nil {
				return nil, err
			}
			at, err := createdAt(doc, fields)
			return []string{doc.Ref.ID, author, at, audience, strconv.FormatBool(hidden)}, err
		},
	}
}

// createdAt returns the field, or when the document was made.
func createdAt(doc *firestore.DocumentSnapshot, fields map[string]any) (string, error) {
	at, ok := fields[schema.FieldCreatedAt].(time.Time)
	if !ok {
		at = doc.CreateTime
	}
	text := at.UTC().Format(time.RFC3339Nano)
	_, err := edgelist.ParseTime(text)
	return text, err
}

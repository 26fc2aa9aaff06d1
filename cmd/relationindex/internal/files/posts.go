package files

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

var postFields = []string{schema.FieldUserID, schema.FieldCreatedAt, schema.FieldAudience, schema.FieldHidden}

// Posts returns the kind of posts, posts/{id}. A file has the columns author and createdAt, and may
// have id, audience and hidden.
func Posts(c names.Collections) Kind {
	c = c.WithDefaults()
	return Kind{
		required: []string{"author", "createdAt"}, optional: []string{"id", "audience", "hidden"},
		exported: []string{"id", "author", "createdAt", "audience", "hidden"},
		query: func(client *firestore.Client) firestore.Query {
			return client.Collection(c.Posts).Select(postFields...)
		},
		row:      postRow,
		document: func(row rows.Row) (Document, error) { return postDocument(c, row) },
	}
}

func postRow(doc *firestore.DocumentSnapshot) ([]string, error) {
	fields := schema.FieldsOf(doc, postFields...)
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
	delete(seen, schema.FieldHidden) // a hidden post keeps its audience, for when it is shown again
	audience, err := schema.AudienceOf(author, seen)
	if err != nil {
		return nil, err
	}
	at, err := createdAt(doc, fields)
	return []string{doc.Ref.ID, author, at, audience, strconv.FormatBool(hidden)}, err
}

func postDocument(c names.Collections, row rows.Row) (Document, error) {
	author, id := row.Get("author"), row.Get("id")
	if err := cmp.Or(rows.ParseID(author), schema.CheckAccountID(author)); err != nil {
		return Document{}, fmt.Errorf("author: %w", err)
	}
	createdAt, err := rows.ParseTime(row.Get("createdAt"))
	if err != nil {
		return Document{}, fmt.Errorf("createdAt: %w", err)
	}
	if id == "" {
		id = postID(row.Part, author, createdAt, row.Line)
	} else if err := cmp.Or(rows.ParseID(id), schema.CheckPostID(id)); err != nil {
		return Document{}, err
	}
	audience, hidden, err := seenBy(row, author)
	if err != nil {
		return Document{}, err
	}
	return Document{
		Path: c.Posts + "/" + id,
		Data: map[string]any{schema.FieldUserID: author, schema.FieldAudience: audience, schema.FieldHidden: hidden, schema.FieldCreatedAt: createdAt},
		// A post without audience and hidden is from an earlier client.
		Needs: []string{schema.FieldUserID, schema.FieldCreatedAt},
	}, nil
}

// seenBy returns audience and hidden of a post. Without the columns, its author's followers
// see it.
func seenBy(row rows.Row, author string) (audience string, hidden bool, err error) {
	audience = author
	if row.Has("audience") {
		if audience, err = schema.AudienceOf(author, map[string]any{schema.FieldAudience: row.Get("audience")}); err != nil {
			return "", false, fmt.Errorf("audience %.80q: %w", row.Get("audience"), err)
		}
	}
	if row.Has("hidden") {
		switch row.Get("hidden") {
		case "true":
			hidden = true
		case "false":
		default: // a wrong value must not show a hidden post
			return "", false, fmt.Errorf("hidden %.80q: must be true or false", row.Get("hidden"))
		}
	}
	return audience, hidden, nil
}

// postID returns an id for a row without an id. The same line of the same part gets the same id at
// each import, and every other row gets another. The id has 26 lower-case letters and digits.
func postID(part, author string, createdAt time.Time, line int) string {
	if part != "" {
		part = strconv.Quote(part)
	}
	sum := sha256.Sum256([]byte(part + strconv.Quote(author) + createdAt.UTC().Format(time.RFC3339Nano) + "#" + strconv.Itoa(line)))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

package importer

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/cmd/relationindex/internal/files/edgelist"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Document is what one row says.
type Document struct {
	Path string         // below the database, "posts/p1"
	Data map[string]any // its fields
	// Needs are those of its fields without which a document that is there already is not what the row
	// says; none: it is, whatever it has.
	Needs []string
	Row   edgelist.Row
}

// ErrSelfFollow says that a row has an account follow itself. Rules refuse
// that to clients, so it is not imported.
var ErrSelfFollow = errors.New("an account cannot follow itself")

// FollowColumns reads the columns of a file of follows: follower and followed, and
// createdAt where the file has it.
func FollowColumns(spec string) (edgelist.Columns, error) {
	return edgelist.ParseColumns(spec, []string{"follower", "followed"}, "createdAt")
}

// PostColumns reads the columns of a file of posts: author, createdAt, and id, audience
// and hidden where the file has them.
func PostColumns(spec string) (edgelist.Columns, error) {
	return edgelist.ParseColumns(spec, []string{"author", "createdAt"}, "id", "audience", "hidden")
}

// Follows are the follow documents of a file, users/{followed}/followers/{follower}.
// A row that is none comes as an [*edgelist.RowError], one of an account that
// follows itself as ErrSelfFollow; the rows after it follow. Any other error is
// the last. Errors call the file file.
func Follows(file string, in io.Reader, columns edgelist.Columns, c names.Collections) iter.Seq2[Document, error] {
	c = c.WithDefaults()
	return documents(file, edgelist.Rows(file, in, columns), func(row edgelist.Row) (Document, error) {
		follower, followed := row.Get("follower"), row.Get("followed")
		if err := edgelist.ParseID(follower); err != nil {
			return Document{}, fmt.Errorf("follower: %w", err)
		}
		if err := edgelist.ParseID(followed); err != nil {
			return Document{}, fmt.Errorf("followed: %w", err)
		}
		if follower == followed {
			return Document{}, ErrSelfFollow
		}
		if err := schema.CheckFollow(followed, follower); err != nil {
			return Document{}, err
		}
		var createdAt any = firestore.ServerTimestamp
		if columns.Has("createdAt") {
			var err error
			if createdAt, err = edgelist.ParseTime(row.Get("createdAt")); err != nil {
				return Document{}, fmt.Errorf("createdAt: %w", err)
			}
		}
		return Document{
			Path: c.Users + "/" + followed + "/" + c.Followers + "/" + follower,
			Data: map[string]any{"createdAt": createdAt},
		}, nil
	})
}

// Posts are the posts of a file, posts/{id}. Errors are as for [Follows].
func Posts(file string, in io.Reader, columns edgelist.Columns, c names.Collections) iter.Seq2[Document, error] {
	return PostsOfPart("", file, in, columns, c)
}

// PostsOfPart are the posts of one of several files, each of which has a line 1. part tells
// them apart in the ids of posts whose rows have none; "": the file is the only one.
func PostsOfPart(part, file string, in io.Reader, columns edgelist.Columns, c names.Collections) iter.Seq2[Document, error] {
	c = c.WithDefaults()
	return documents(file, edgelist.Rows(file, in, columns), func(row edgelist.Row) (Document, error) {
		author, id := row.Get("author"), row.Get("id")
		if err := cmp.Or(edgelist.ParseID(author), schema.CheckAccountID(author)); err != nil {
			return Document{}, fmt.Errorf("author: %w", err)
		}
		createdAt, err := edgelist.ParseTime(row.Get("createdAt"))
		if err != nil {
			return Document{}, fmt.Errorf("createdAt: %w", err)
		}
		if id == "" {
			id = postID(part, author, createdAt, row.Line)
		} else if err := cmp.Or(edgelist.ParseID(id), schema.CheckPostID(id)); err != nil {
			return Document{}, err
		}
		audience, hidden, err := seenBy(columns, row, author)
		if err != nil {
			return Document{}, err
		}
		return Document{
			Path: c.Posts + "/" + id,
			Data: map[string]any{schema.FieldUserID: author, schema.FieldAudience: audience, schema.FieldHidden: hidden, schema.FieldCreatedAt: createdAt},
			// Without audience and hidden it is a post of an earlier client.
			Needs: []string{schema.FieldUserID, schema.FieldCreatedAt},
		}, nil
	})
}

// seenBy returns audience and hidden of a post. Without the columns, its author's followers
// see it.
func seenBy(columns edgelist.Columns, row edgelist.Row, author string) (audience string, hidden bool, err error) {
	audience = author
	if columns.Has("audience") {
		if audience, err = schema.AudienceOf(author, map[string]any{schema.FieldAudience: row.Get("audience")}); err != nil {
			return "", false, fmt.Errorf("audience %.80q: %w", row.Get("audience"), err)
		}
	}
	if columns.Has("hidden") {
		switch row.Get("hidden") {
		case "true":
			hidden = true
		case "false":
		default: // hidden by mistake can be mended, shown by mistake cannot
			return "", false, fmt.Errorf("hidden %.80q: want true or false", row.Get("hidden"))
		}
	}
	return audience, hidden, nil
}

// PostID is the id of a post whose row has none: the same whenever the row is
// imported from the same line, and another for every other row. It has 26
// lower-case letters and digits.
func PostID(author string, createdAt time.Time, line int) string {
	return postID("", author, createdAt, line)
}

// postID is PostID for one of several files.
func postID(part, author string, createdAt time.Time, line int) string {
	if part != "" {
		part = strconv.Quote(part)
	}
	sum := sha256.Sum256([]byte(part + strconv.Quote(author) + createdAt.UTC().Format(time.RFC3339Nano) + "#" + strconv.Itoa(line)))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// documents makes a document of each row. An error of document concerns its
// row only, and gets the row's place.
func documents(file string, rows iter.Seq2[edgelist.Row, error], document func(edgelist.Row) (Document, error)) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for row, err := range rows {
			if err != nil {
				if !yield(Document{}, err) {
					return
				}
				continue
			}
			d, err := document(row)
			d.Row = row
			if err != nil && !errors.Is(err, ErrSelfFollow) {
				err = &edgelist.RowError{File: file, Line: row.Line, Reason: err.Error()}
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

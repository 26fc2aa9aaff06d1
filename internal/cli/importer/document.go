package importer

import (
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

	"example.com/relationindex/internal/cli/edgelist"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Document is what one row says.
type Document struct {
	Path string         // below the database, "posts/p1"
	Data map[string]any // its fields
	Row  edgelist.Row
}

// ErrSelfFollow says that a row has an account follow itself. Rules refuse
// that to clients, so it is not imported.
var ErrSelfFollow = errors.New("an account cannot follow itself")

// FollowColumns reads the columns of a file of follows: follower and followed.
func FollowColumns(spec string) (edgelist.Columns, error) {
	return edgelist.ParseColumns(spec, []string{"follower", "followed"})
}

// PostColumns reads the columns of a file of posts: author, createdAt, and id
// where the file has one.
func PostColumns(spec string) (edgelist.Columns, error) {
	return edgelist.ParseColumns(spec, []string{"author", "createdAt"}, "id")
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
		return Document{
			Path: c.Users + "/" + followed + "/" + c.Followers + "/" + follower,
			Data: map[string]any{"createdAt": firestore.ServerTimestamp},
		}, nil
	})
}

// Posts are the posts of a file, posts/{id}. Errors are as for [Follows].
func Posts(file string, in io.Reader, columns edgelist.Columns, c names.Collections) iter.Seq2[Document, error] {
	c = c.WithDefaults()
	return documents(file, edgelist.Rows(file, in, columns), func(row edgelist.Row) (Document, error) {
		author, id := row.Get("author"), row.Get("id")
		if err := edgelist.ParseID(author); err != nil {
			return Document{}, fmt.Errorf("author: %w", err)
		}
		createdAt, err := edgelist.ParseTime(row.Get("createdAt"))
		if err != nil {
			return Document{}, fmt.Errorf("createdAt: %w", err)
		}
		if id == "" {
			id = PostID(author, createdAt, row.Line)
		} else if err := edgelist.ParseID(id); err != nil {
			return Document{}, err
		}
		return Document{
			Path: c.Posts + "/" + id,
			Data: map[string]any{"userId": author, "audience": author, "hidden": false, "createdAt": createdAt},
		}, nil
	})
}

// PostID is the id of a post whose row has none: the same whenever the row is
// imported from the same line, and another for every other row. It has 26
// lower-case letters and digits.
func PostID(author string, createdAt time.Time, line int) string {
	sum := sha256.Sum256([]byte(strconv.Quote(author) + createdAt.UTC().Format(time.RFC3339Nano) + "#" + strconv.Itoa(line)))
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

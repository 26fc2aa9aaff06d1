package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Trace is a document that names an account.
type Trace struct {
	Document string `json:"document"` // its path below the database
	Where    string `json:"where"`    // "path", or the name of the field
}

func (t Trace) String() string { return t.Document + ": " + t.Where }

// Traces calls report for each document of our collections that names the account u, in
// its path or in a field. progress, unless nil, gets the number of documents read so far.
//
// A purge leaves only two kinds of documents. The first kind is kept posts, with their relations to groups and
// recipients, and others' comments on these posts. The second kind is blocks of u by others: without these, a blocked
// user could create the account again and follow. A purged group also stays named in posts. The rates of other accounts
// may list u among the ids of their last acts, until these rates count from 0 again. Traces checks neither rates nor the
// marks of ended purges.
//
// A document with a value that cannot be decoded may name u too. The returned error lists the first ten such documents.
//
// Traces reads all documents of all our collections. Use it for a check, not every day.
func (x *Lifecycle) Traces(ctx context.Context, u string, report func(Trace), progress func(documents int64)) error {
	c := x.db.Config.Collections()
	var read int64
	var unread []error
	for _, q := range []firestore.Query{
		x.db.Client.Collection(c.Users).Query,
		x.db.Client.CollectionGroup(c.Followers).Select(),
		x.db.Client.CollectionGroup(names.FollowersIndex).Query,
		x.db.Client.CollectionGroup(names.Following).Select(),
		x.db.Client.CollectionGroup(names.Blocked).Select(),
		x.db.Client.CollectionGroup(names.Requests).Query,
		x.db.Client.CollectionGroup(names.Timeline).Query,
		x.db.Client.CollectionGroup(names.ReaderSettings).Query,
		x.db.Client.CollectionGroup(names.HiddenPosts).Select(),
		x.db.Client.CollectionGroup(names.Rates).Select(),
		x.db.Client.CollectionGroup(names.Comments).Query,
		x.db.Client.CollectionGroup(names.Likes).Query,
		x.db.Client.CollectionGroup(names.Notifications).Query,
		x.db.Client.Collection(c.Posts).Query,
		x.db.Relations().Query,
		x.db.Client.Collection(names.Purging).Query,
		x.engine.Documents(),
	} {
		for doc, err := range store.Documents(ctx, q) {
			if err != nil {
				return fmt.Errorf("look for %q: %w", u, err)
			}
			if read++; progress != nil {
				progress(read)
			}
			_, path, _ := strings.Cut(doc.Ref.Path, "/documents/")
			if x.isElsewhere(doc.Ref) || doc.Ref.Parent.ID == names.Purging && !schema.IsPurging(doc) {
				continue // a collection of the same name elsewhere, such as an app's own requests; or the mark of an ended purge
			}
			if namesInPath(path, u) {
				report(Trace{path, "path"})
			}
			fields, err := schema.AllFields(doc)
			for name, value := range fields {
				thread := name == schema.FieldThread && doc.Ref.Parent.ID == names.Comments
				if namesInValue(value, u) || thread && namesInList(value, u) {
					report(Trace{path, name})
				}
			}
			if err != nil && len(unread) < schema.MaxErrors {
				unread = append(unread, fmt.Errorf("%s: %w", path, err))
			}
		}
	}
	return errors.Join(unread...)
}

// isElsewhere reports whether a document belongs to an app, in a collection with the same name as one of ours below
// users or posts: a comment on a video, or another document of settings.
func (x *Lifecycle) isElsewhere(doc *firestore.DocumentRef) bool {
	of, c := doc.Parent.Parent, x.db.Config.Collections()
	switch doc.Parent.ID {
	case names.Comments, names.Likes:
		return of == nil || of.Path != x.db.Post(of.ID).Path
	case names.ReaderSettings:
		return of == nil || doc.Path != x.db.Decided(of.ID).Path && doc.Path != x.db.LastRead(of.ID).Path
	case c.Followers, names.FollowersIndex, names.Following, names.Blocked, names.Requests, names.Timeline, names.HiddenPosts, names.Rates, names.Notifications:
		return of == nil || of.Path != x.db.User(of.ID).Path
	}
	return false
}

// namesInPath reports whether u is a segment of a path, or a part of a job's id.
func namesInPath(path, u string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(segment string) bool {
		return segment == u || slices.Contains(strings.Split(segment, ":"), u)
	})
}

// namesInList reports whether u is one of several names separated by slashes. Such lists are the author and the audience
// in the thread of a comment, and the followers who wait to leave.
func namesInList(value any, u string) bool {
	list, _ := value.(string)
	return slices.Contains(strings.Split(list, "/"), u)
}

// namesInValue reports whether a value is u or contains it. Strings and references also match by
// a path that contains u.
func namesInValue(value any, u string) bool {
	switch v := value.(type) {
	case string:
		return v == u || strings.Contains(v, "/"+u+"/") || strings.HasSuffix(v, "/"+u)
	case *firestore.DocumentRef:
		return v != nil && namesInPath(v.Path, u)
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return namesInValue(e, u) })
	case map[string]any:
		for name, e := range v {
			if name == u || namesInValue(e, u) || name == schema.ArgLeaving && namesInList(e, u) {
				return true
			}
		}
	}
	return false
}

package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// below is a kind of documents that belong to a post: its comments, or its likes.
type below struct {
	collection string
	fields     []string
	// stays reports whether a listed document belongs to the post that exists now.
	stays func(doc *firestore.DocumentSnapshot, post *posts.Post) bool
}

var (
	// Comments that were written to another author are deleted. Comments without a thread stay.
	commentsBelow = below{names.Comments, []string{schema.FieldThread}, func(comment *firestore.DocumentSnapshot, post *posts.Post) bool {
		author, _, bound := strings.Cut(schema.TextOf(comment, schema.FieldThread), "/")
		return !bound || author == post.Author
	}}
	// Likes that are older than the post belonged to an earlier post: rules reject a like of a post that does not exist.
	likesBelow = below{names.Likes, nil, func(like *firestore.DocumentSnapshot, post *posts.Post) bool {
		return !like.CreateTime.Before(post.Created)
	}}
)

// Drop deletes the comments on post p, which was deleted, and its likes. generation names the deletion. Subcollections
// of comments and likes stay.
//
// If the event comes late, the post may exist again, because a client may reuse the id. Then Drop deletes only the
// documents that were not written to the new post: see below. Documents that come later are not listed: rules reject
// them below a post that does not exist. Documents that a server writes below such a post stay. Among clients, only
// their author can read them.
//
// Comments and likes cost a read each if there are none. Otherwise each kind costs a read of the post, and a read and a
// delete for each document. More than InlineLimit documents are left to a job. Drop may be called twice and at once. If
// it is never called, comments stay readable for their authors and the post's author, and likes stay too.
func (x *Lifecycle) Drop(ctx context.Context, p, generation, eventID string) error {
	if schema.CheckID(p) != nil {
		return nil // the post's delivery reports it
	}
	for _, b := range []below{commentsBelow, likesBelow} {
		err := work.UntilSettled(ctx, func() (int, error) {
			docs, err := store.ListPage(ctx, x.listed(p, b), nil, x.db.Config.InlineLimit+1)
			if err != nil || len(docs) == 0 {
				return 0, err
			}
			if len(docs) > x.db.Config.InlineLimit {
				return 0, x.engine.Enqueue(ctx, chunker.Spec{
					ID: schema.CommentsJobID(p), Kind: schema.KindComments, Generation: generation, EventID: eventID, Owner: x.db.OwnerOf(p),
					Args: map[string]string{schema.ArgPost: p},
				})
			}
			return x.drop(ctx, p, docs, b)
		})
		if err != nil {
			return fmt.Errorf("%s of %s: %w", b.collection, x.db.Post(p).Path, err)
		}
	}
	return nil
}

func (x *Lifecycle) listed(p string, b below) firestore.Query {
	return x.db.Post(p).Collection(b.collection).Select(b.fields...)
}

// belowTask returns the task of Drop for more documents than a handler deletes. A page works like the handler: if it
// runs twice or late, it finds the remaining documents, and reads the post again.
func (x *Lifecycle) belowTask() chunker.Task {
	phase := func(b below) chunker.Phase {
		return chunker.Phase{Name: b.collection, Page: func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
			p := job.Args[schema.ArgPost]
			err = work.UntilSettled(ctx, func() (int, error) {
				docs, err := store.ListPage(ctx, x.listed(p, b), after, limit)
				if page = bulk.PageOf(docs, limit); err != nil || len(docs) == 0 {
					return 0, err
				}
				return x.drop(ctx, p, docs, b)
			})
			return page, err
		}}
	}
	return chunker.Task{Kind: schema.KindComments, Phases: []chunker.Phase{phase(commentsBelow), phase(likesBelow)}}
}

// drop deletes the listed documents that belong to no existing post. It reads the post after the list was made:
// documents of a later post are not in the list. stale counts documents that have changed.
//
// A crash between two deletions leaves the others to the event, or to the page.
func (x *Lifecycle) drop(ctx context.Context, p string, docs []*firestore.DocumentSnapshot, b below) (stale int, err error) {
	post, _, err := posts.Current(ctx, x.db, p)
	if errors.Is(err, schema.ErrBadDocument) {
		return 0, nil // the post exists without a valid author: nobody can tell whose documents these are
	}
	if err != nil {
		return 0, err
	}
	left := slices.DeleteFunc(slices.Clone(docs), func(doc *firestore.DocumentSnapshot) bool {
		return post != nil && b.stays(doc, post)
	})
	return work.Each(ctx, x.graph.Pool, left, store.DeleteAsListed)
}

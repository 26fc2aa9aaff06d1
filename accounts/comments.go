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

// DropComments deletes the comments on post p, which was deleted. generation names the deletion.
// Subcollections of the comments stay.
//
// The post may be there again, when the event comes late: its client's or another's may use the id
// again. Then DropComments deletes the comments that were written to another author, and keeps those
// without a thread. Comments that come later are not listed: rules let nobody comment on a post that
// does not exist. What a server writes below such a post stays, and no client but its author's reads it.
//
// It costs a read if there are no comments. Otherwise it costs a read of the post, and a read and a
// delete for each. More than InlineLimit are a job. It may be called twice and at once. If it is never
// called, the comments stay, for their authors and the post's.
func (x *Lifecycle) DropComments(ctx context.Context, p, generation, eventID string) error {
	if schema.CheckID(p) != nil {
		return nil // the post's delivery reports it
	}
	err := work.UntilSettled(ctx, func() (int, error) {
		docs, err := store.ListPage(ctx, x.commentsOn(p), nil, x.db.Config.InlineLimit+1)
		if err != nil || len(docs) == 0 {
			return 0, err
		}
		if len(docs) > x.db.Config.InlineLimit {
			return 0, x.engine.Enqueue(ctx, chunker.Spec{
				ID: schema.CommentsJobID(p), Kind: schema.KindComments, Generation: generation, EventID: eventID, Owner: schema.OwnerOf(p),
				Args: map[string]string{schema.ArgPost: p},
			})
		}
		return x.dropComments(ctx, p, docs)
	})
	if err != nil {
		return fmt.Errorf("comments on %s: %w", x.db.Post(p).Path, err)
	}
	return nil
}

func (x *Lifecycle) commentsOn(p string) firestore.Query {
	return x.db.Post(p).Collection(names.Comments).Select(schema.FieldThread)
}

// commentsTask returns the task of DropComments for more than a handler deletes. A page deletes as that
// does: twice or late, it finds what is left, and reads the post again.
func (x *Lifecycle) commentsTask() chunker.Task {
	page := func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
		p := job.Args[schema.ArgPost]
		err = work.UntilSettled(ctx, func() (int, error) {
			docs, err := store.ListPage(ctx, x.commentsOn(p), after, limit)
			if page = bulk.PageOf(docs, limit); err != nil || len(docs) == 0 {
				return 0, err
			}
			return x.dropComments(ctx, p, docs)
		})
		return page, err
	}
	return chunker.Task{Kind: schema.KindComments, Phases: []chunker.Phase{{Name: "comments", Page: page}}}
}

// dropComments deletes those of the listed comments that belong to no post now. The post is read after
// they were listed: one that comes later has other comments. stale counts those that have changed.
//
// A crash between two deletions leaves the others to the event, or to the page.
func (x *Lifecycle) dropComments(ctx context.Context, p string, docs []*firestore.DocumentSnapshot) (stale int, err error) {
	post, _, err := posts.Current(ctx, x.db, p)
	if errors.Is(err, schema.ErrBadDocument) {
		return 0, nil // there, and nobody's: nobody can say whose comments these are
	}
	if err != nil {
		return 0, err
	}
	left := slices.DeleteFunc(slices.Clone(docs), func(comment *firestore.DocumentSnapshot) bool {
		author, _, bound := strings.Cut(schema.TextOf(comment, schema.FieldThread), "/")
		return post != nil && (!bound || author == post.Author)
	})
	return work.Each(ctx, x.graph.Pool, left, store.DeleteAsListed)
}

package timelines

import (
	"context"
	"fmt"
	"strconv"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// Followed brings the newest posts of an audience to a new follower, as far as backfill
// goes, and takes the entries of the audience from one who has left. Posts that name the
// reader stay: they come by [Delivery.Post].
//
// A follow with a backfill of n ≤ InlineLimit posts costs 2n reads and one for each
// backfillBatch, n writes, and what the layout reads; with settings, as many reads as n and one for
// each backfillBatch more. Without a backfill it costs nothing, or without relations a read for the
// change log. An unfollow costs a read for each document that has entries of the audience, at least one,
// then another read and a write or a delete for each, and for each transaction a read, and a write of open.
//
// The event may come twice or late: transactions read the edge. A crash before its end
// leaves the event. If it never comes, the members transaction has not happened either.
func (x *Delivery) Followed(ctx context.Context, c followers.Change) error {
	later := c.Blocked && x.opts.KeepOnUnfollow
	if !c.Follows && len(c.Indexes) == 0 && !later { // settled before, or removed with an account
		return nil
	}
	job := chunker.Job{Args: map[string]string{schema.ArgAuthor: c.Author, schema.ArgReader: c.Follower}}
	page := x.pageRemoval
	switch {
	case c.Follows:
		page = x.pageBackfill
	case c.Blocked: // who follows still, loses the entries with the follow
		page = x.whoFollows(false, x.pageRemoval)
	}
	done, err := page(ctx, job, nil, x.db.Options.InlineLimit)
	if err == nil && done.More {
		err = x.enqueueFollow(ctx, c.Author, c.Follower)
	}
	if err == nil && x.opts.Alone {
		err = x.graph.EmptyChangeLogs(ctx, c.Author, c.Indexes)
	}
	if err != nil {
		return fmt.Errorf("timeline of %s: %w", x.db.User(c.Follower).Path, err)
	}
	return nil
}

// enqueueFollow enqueues the job of a follow or an unfollow. Its generation is the state of
// the edge: another follow, another job.
func (x *Delivery) enqueueFollow(ctx context.Context, audience, reader string) error {
	return x.enqueue(ctx, x.db.Edge(audience, reader), chunker.Spec{
		ID: schema.TimelineFollowJobID(audience, reader), Kind: schema.KindTimelineFollow, Owner: schema.OwnerOf(audience),
		Args: map[string]string{schema.ArgAuthor: audience, schema.ArgReader: reader},
	})
}

// enqueue enqueues a job for one reader, whose generation is the state of a document.
func (x *Delivery) enqueue(ctx context.Context, of *firestore.DocumentRef, spec chunker.Spec) error {
	docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{of})
	if err != nil {
		return err
	}
	spec.Private, spec.Generation = true, "gone "+strconv.FormatInt(docs[0].ReadTime.UnixNano(), 10)
	if docs[0].Exists() {
		spec.Generation = schema.Generation(docs[0].UpdateTime)
	}
	return x.engine.Enqueue(ctx, spec)
}

// followsIn reads the edge in a transaction: whether an index document of the audience
// holds the reader. It returns ErrDamaged if the edge does not say.
func (x *Delivery) followsIn(tx *firestore.Transaction, audience, reader string) (bool, error) {
	snap, err := store.GetMaybe(tx, x.db.Edge(audience, reader))
	if err != nil {
		return false, err
	}
	return schema.Follows(snap)
}

// whoFollows returns a page function that does nothing unless the reader follows, or has left. It
// costs a read. If that changes afterwards, it is the work of another event.
func (x *Delivery) whoFollows(follows bool, page chunker.PageFunc) chunker.PageFunc {
	return func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		edges, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Edge(job.Args[schema.ArgAuthor], job.Args[schema.ArgReader])})
		if err != nil || follows != (schema.TextOf(edges[0], schema.FieldIndexID) != "") {
			return chunker.Page{}, err
		}
		return page(ctx, job, after, limit)
	}
}

// pageBackfill brings the newest posts of an audience to a reader who follows, oldest
// first: up to limit posts after the place after. Posts that name the reader are left out.
//
// Each transaction reads the edge and the posts. If the reader leaves, the members
// transaction comes before it, and it writes nothing; or after it, and the removal finds
// the entries. It adds what is not there. So a crash leaves the rest to the event, or to
// the job.
func (x *Delivery) pageBackfill(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	audience, reader := job.Args[schema.ArgAuthor], job.Args[schema.ArgReader]
	if x.opts.Backfill == 0 {
		return chunker.Page{}, nil
	}
	newest := func() ([]posts.Post, error) { return posts.Newest(ctx, nil, x.db, audience, x.opts.Backfill) }
	return x.bringAfter(ctx, reader, newest, after, limit, false)
}

// pageRemoval takes the entries of an audience from a reader who does not follow, in up to
// limit documents after the document after. If entries stay after an unfollow, it does so only
// if one of the two blocks the other.
//
// Each transaction reads the edge: a late removal leaves alone what a new follow has
// brought. A crash leaves the rest to the event, or to the job.
func (x *Delivery) pageRemoval(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	audience, reader := job.Args[schema.ArgAuthor], job.Args[schema.ArgReader]
	if x.opts.KeepOnUnfollow {
		blocks, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Block(reader, audience), x.db.Block(audience, reader)})
		if err != nil || !blocks[0].Exists() && !blocks[1].Exists() {
			return chunker.Page{}, err
		}
	}
	q := x.db.Timeline(reader).Where(layout.FieldAccounts, "array-contains", audience).Select()
	err = work.UntilSettled(ctx, func() (int, error) {
		docs, err := store.ListPage(ctx, q, after, limit)
		if err != nil || len(docs) == 0 {
			page = chunker.Page{}
			return 0, err
		}
		page = bulk.PageOf(docs, limit)
		return x.without(ctx, docs, func(tx *firestore.Transaction) (func(layout.Entry) bool, error) {
			if follows, err := x.followsIn(tx, audience, reader); err != nil || follows {
				return nil, err
			}
			return func(e layout.Entry) bool { return e.Audience == audience }, nil
		})
	})
	return page, err
}

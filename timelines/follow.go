package timelines

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// Followed brings a new follower the posts of an audience made after the follow, less [schema.MaxAhead], and
// the newest earlier posts up to backfill. From a reader who has left, it removes the entries of the audience.
// Posts that name the reader stay: [Delivery.Post] brings them, and [Delivery.Blocked] removes them.
//
// A follow that brings n ≤ InlineLimit posts costs one read that finds no more posts, or 2n reads. It also
// costs one read for each backfillBatch, n writes, and the reads of the layout. With settings, it costs n
// reads and one for each backfillBatch more. Without relations, it costs one read more, for the change log.
//
// An unfollow costs a read for each document with entries of the audience, at least one. Each of these costs
// another read, and a write or a delete. Each transaction costs a read, and a write of open. A follower who
// has returned costs both.
//
// The event may come twice or late: transactions read the edge. A crash before its end leaves the event. If it
// never comes, the members transaction has not happened either.
func (x *Delivery) Followed(ctx context.Context, c followers.Change) error {
	if !c.Follows && len(c.Indexes) == 0 { // settled before, or removed with an account
		return nil
	}
	limit := x.db.Config.InlineLimit
	var done chunker.Page
	var err error
	if !c.Follows || c.Returned {
		done, err = x.remove(ctx, &removal{audience: c.Author, reader: c.Follower, returned: c.Returned}, nil, limit)
	}
	if err == nil && !done.More && c.Follows {
		done, err = x.backfill(ctx, c.Author, c.Follower, c.Since, nil, limit, false)
	}
	if err == nil && (done.More || done.Waits) {
		err = x.enqueueFollow(ctx, c)
	}
	if err == nil && x.opts.Alone {
		err = x.graph.EmptyChangeLogs(ctx, c.Author, c.Indexes)
	}
	if err != nil {
		return fmt.Errorf("timeline of %s: %w", x.db.User(c.Follower).Path, err)
	}
	return nil
}

// enqueueFollow enqueues the job of a follow or an unfollow. Its generation is the state of the edge,
// so that another follow is another job. For a follower who has returned, each call has its own generation. The
// event has just removed entries, and a finished job would not bring them back.
func (x *Delivery) enqueueFollow(ctx context.Context, c followers.Change) error {
	return x.enqueue(ctx, x.db.Edge(c.Author, c.Follower), c.Follows && c.Returned, chunker.Spec{
		ID: schema.TimelineFollowJobID(c.Author, c.Follower), Kind: schema.KindTimelineFollow, Owner: x.db.OwnerOf(c.Author),
		Args: map[string]string{schema.ArgAuthor: c.Author, schema.ArgReader: c.Follower},
	})
}

// enqueue enqueues a job for one reader. Its generation is the state of a document. With again, the job runs
// even if it has already run for that state. A rebuild gets the time of the request. A queued or running
// rebuild keeps its earlier time, and so brings again posts that its earlier pages may not have lifted. A
// rebuild that failed for a day does not keep its time when it is requested again.
func (x *Delivery) enqueue(ctx context.Context, of *firestore.DocumentRef, again bool, spec chunker.Spec) error {
	docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{of})
	if err != nil {
		return err
	}
	read := strconv.FormatInt(docs[0].ReadTime.UnixNano(), 10)
	if spec.Kind == schema.KindTimelineReader {
		spec.Args[schema.ArgSince] = read
	}
	switch spec.Private = true; {
	case !docs[0].Exists():
		spec.Generation = "gone " + read
	case again:
		spec.Generation = schema.Generation(docs[0].UpdateTime) + " again " + read
	default:
		spec.Generation = schema.Generation(docs[0].UpdateTime)
	}
	return x.engine.Enqueue(ctx, spec)
}

// pageBackfill is backfill for a page of a job. It reads the current follow, which costs a read more, and does
// nothing if there is none.
func (x *Delivery) pageBackfill(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	audience, reader := job.Args[schema.ArgAuthor], job.Args[schema.ArgReader]
	edges, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Edge(audience, reader)})
	if err != nil || schema.TextOf(edges[0], schema.FieldIndexID) == "" {
		return chunker.Page{}, err
	}
	return x.backfill(ctx, audience, reader, readers.FollowedAt(edges[0]), after, limit, true)
}

// backfill brings the posts of an audience to a reader who follows since a time, oldest first: up to limit
// posts after the place after, also posts that name the reader: a follower without a document did not have these. If there
// are more, and some is false, it brings none: the job would remove them before it brings all.
//
// Each transaction reads the edge and the posts. If the reader leaves before the transaction, it writes
// nothing. If the reader leaves later, the removal finds the entries. If the reader has come back since,
// backfill plans again. It adds only missing entries, so a crash leaves the rest to the event or the job.
func (x *Delivery) backfill(ctx context.Context, audience, reader string, since time.Time, after *firestore.DocumentRef, limit int, some bool) (chunker.Page, error) {
	w := readers.Window(since, x.opts.Backfill, x.MostRebuilt())
	return x.bringAfter(ctx, reader, func() ([]readers.Reached, error) {
		found, err := posts.Newest(ctx, x.db, audience, w)
		reached := make([]readers.Reached, len(found))
		for n, p := range found {
			reached[n] = readers.Reached{Post: p, Since: since, Older: !p.CreatedAt().After(w.After)}
		}
		return reached, err
	}, after, limit, some)
}

// removal describes the entries to remove from a reader: those of an audience that the reader does not follow.
type removal struct {
	audience, reader string
	returned         bool // also entries that the current follow does not bring
	blocked          bool // also posts that name the reader, if the reader blocks the audience
}

// pageRemoval is remove for a page of a job.
func (x *Delivery) pageRemoval(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	return x.remove(ctx, &removal{audience: job.Args[schema.ArgAuthor], reader: job.Args[schema.ArgReader], returned: true}, after, limit)
}

// Blocked removes what came to a reader from an account that the reader has begun to block: the account's posts
// that name the reader, in up to limit documents after the document after. The follows of the two have events of
// their own. With KeepOnUnfollow, Blocked also removes from both timelines what stayed after a follow of the other.
//
// Blocked costs the same as an unfollow, and a read more for each transaction, of the block. With KeepOnUnfollow, it
// costs up to four reads for blocks, and a second query.
//
// The event may come twice or late: each transaction reads the block. A crash leaves the rest to the event or the job.
func (x *Delivery) Blocked(ctx context.Context, reader, account string, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	if after == nil || after.Parent.Parent.ID == reader {
		page, err = x.remove(ctx, &removal{audience: account, reader: reader, blocked: true}, after, limit)
		after = nil
	}
	if err == nil && !page.More && x.opts.KeepOnUnfollow {
		page, err = x.remove(ctx, &removal{audience: reader, reader: account}, after, limit)
	}
	if err != nil {
		err = fmt.Errorf("timelines of %s: %w", x.db.Block(reader, account).Path, err)
	}
	return page, err
}

// Pushed reports whether entries of an account may have pushed older ones out of a reader's timeline: see
// [layout.IsFull]. Call it before Blocked, which leaves no sign of that. It costs what IsFull costs, and for a full
// timeline a query.
func (x *Delivery) Pushed(ctx context.Context, reader, account string) (bool, error) {
	if full, err := layout.IsFull(ctx, x.layout, x.db, reader, account); err != nil || !full {
		return false, err
	}
	docs, err := x.db.Timeline(reader).Where(layout.FieldAccounts, "array-contains", account).Limit(1).Select().Documents(ctx).GetAll()
	return len(docs) > 0, err
}

// remove removes entries from a reader, in up to limit documents after the document after. With
// KeepOnUnfollow, it does so only if one of the two blocks the other.
//
// Each transaction reads the edge, so a late removal keeps the entries of a new follow. A crash leaves the
// rest to the event or the job.
func (x *Delivery) remove(ctx context.Context, r *removal, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	if x.opts.KeepOnUnfollow {
		blocks, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Block(r.reader, r.audience), x.db.Block(r.audience, r.reader)})
		if err != nil || !blocks[0].Exists() && !blocks[1].Exists() {
			return chunker.Page{}, err
		}
	}
	q := x.db.Timeline(r.reader).Where(layout.FieldAccounts, "array-contains", r.audience).Select()
	err = work.UntilSettled(ctx, func() (int, error) {
		docs, err := store.ListPage(ctx, q, after, limit)
		if err != nil || len(docs) == 0 {
			page = chunker.Page{}
			return 0, err
		}
		page = bulk.PageOf(docs, limit)
		return x.without(ctx, docs, func(tx *firestore.Transaction) (func(layout.Entry) bool, error) { return x.removed(tx, r) })
	})
	return page, err
}

// removed reads, in a transaction, which entries to remove. It costs a read of the edge, and one of the block.
func (x *Delivery) removed(tx *firestore.Transaction, r *removal) (func(layout.Entry) bool, error) {
	refs := []*firestore.DocumentRef{x.db.Edge(r.audience, r.reader)}
	if r.blocked {
		refs = append(refs, x.db.Block(r.reader, r.audience))
	}
	docs, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	follows, err := schema.Follows(docs[0])
	blocks := r.blocked && docs[1].Exists()
	if err != nil || follows && !r.returned && !blocks {
		return nil, err
	}
	latest := readers.FollowedAt(docs[0]).Add(-schema.MaxAhead).UnixMicro()
	return func(e layout.Entry) bool {
		gone := !follows || r.returned && e.CreatedAt() <= latest
		if e.Audience != r.audience {
			gone = blocks && e.Audience == "" && e.Author == r.audience
		}
		return gone
	}, nil
}

package timelines

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
)

// pageFollowers is fanOut for a page of a job.
func (x *Delivery) pageFollowers(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	p := job.Args[schema.ArgPost]
	done := map[string]bool{}
	page, err := x.fanOut(ctx, x.current(ctx, p), done, after, limit*x.opts.PageFactor, true)
	if err == nil || schema.OnlyDamaged(err) {
		err = errors.Join(err, x.LiftAsCommented(ctx, p, slices.Sorted(maps.Keys(done))))
	}
	if !schema.OnlyDamaged(err) {
		return page, err
	}
	// The readers in other documents have the post. A repair brings it to those whose document's job has
	// failed.
	return page, x.graph.PastMending(ctx, "", err)
}

// part is readers of one index document, sorted. The version changes as soon as one of the readers has joined,
// left or come back.
type part struct {
	index   string
	version int64
	readAt  time.Time // the server's
	readers []string
}

// fanOut brings the post that current reads to up to limit followers of its audience, after the cursor after. It reads
// each index document once. If there are more followers, and some is false, fanOut writes nothing. Readers in done
// already have their entry. A reader who followed when the post was already older than [schema.MaxAhead] does not get
// the post here: only the follow itself may bring it. If index documents are damaged, fanOut brings the post to the
// followers in the others, and returns an error that contains only damaged documents.
//
// Each transaction reads the post and the version of the index document. If a reader leaves before the commit,
// the transaction sees it. If a reader leaves later, the removal finds the entry. A reader who joined after
// the read of the index document has changed the version too: then the page reads the document again.
//
// A crash leaves the page to the event or the job. A repetition writes no existing entry again.
func (x *Delivery) fanOut(ctx context.Context, current func() (*posts.Post, error), done map[string]bool, after *firestore.DocumentRef, limit int, some bool) (page chunker.Page, err error) {
	var mu sync.Mutex // of done
	var damaged error
	err = work.UntilSettled(ctx, func() (int, error) {
		page, damaged = chunker.Page{}, nil
		now, err := current()
		if err != nil || now == nil || now.Audience == "" {
			return 0, err
		}
		parts, next, bad, err := x.readersAfter(ctx, now.Audience, after, limit)
		if page, damaged = next, bad; err != nil {
			return 0, err
		}
		if page.More && !some {
			return 0, nil
		}
		stale := 0
		for _, part := range parts {
			fan := writing[recipient]{Delivery: x, write: func(ctx context.Context, tx *firestore.Transaction, some []recipient) error {
				return x.fanOutIn(ctx, tx, now, part, some)
			}, wrote: func(some []recipient) {
				mu.Lock()
				defer mu.Unlock()
				for _, r := range some {
					done[r.id] = true
				}
			}}
			some, err := x.sinceBefore(ctx, now, part, slices.DeleteFunc(part.readers, func(r string) bool { return done[r] }))
			if err != nil {
				return stale, err
			}
			n, err := fan.each(ctx, x.recipientsOf(some), x.layout.Held(false)+readers.Held(x.db))
			if stale += n; err != nil {
				return stale, err
			}
		}
		return stale, nil
	})
	return page, errors.Join(err, damaged)
}

// fanOutIn is one transaction of fanOut. Its readers (some) were chosen for known, an earlier state of the post. It
// costs two reads, and those of [readers.In] and the layout. BringNamed serves readers whom the post names.
func (x *Delivery) fanOutIn(ctx context.Context, tx *firestore.Transaction, known *posts.Post, part part, some []recipient) error {
	post, err := x.postIn(tx, known.ID)
	if err != nil || post == nil || post.Audience != known.Audience {
		return err // the post has changed: that change has an event of its own
	}
	if !post.CreatedAt().Equal(known.CreatedAt()) {
		return errReplan // another date means other readers
	}
	snap, err := store.GetMaybe(tx, x.db.IndexDocuments(post.Audience).Doc(part.index))
	if err != nil || !snap.Exists() {
		return err // the audience is gone
	}
	index, err := schema.DecodeIndexDocument(snap)
	if err != nil {
		return err
	}
	if index.Version != part.version {
		return errReplan
	}
	some = slices.DeleteFunc(some, func(r recipient) bool { return slices.Contains(post.Recipients, r.id) })
	return x.addFor(ctx, tx, *post, some)
}

// readersAfter returns up to limit followers of an audience, after the cursor after, as a page. damaged is the
// error of index documents whose followers cannot be read.
func (x *Delivery) readersAfter(ctx context.Context, audience string, after *firestore.DocumentRef, limit int) (parts []part, page chunker.Page, damaged, err error) {
	ids, err := x.graph.IndexIDs(ctx, audience)
	if err != nil {
		return nil, page, nil, err
	}
	index, reader := followers.PlaceOf(x.db, audience, after)
	for n, i := range ids {
		if i < index {
			continue
		}
		p, err := x.readersOf(ctx, audience, i)
		if schema.OnlyDamaged(err) {
			damaged = errors.Join(damaged, err)
		} else if err != nil {
			return nil, page, nil, err
		}
		if i == index {
			first, found := slices.BinarySearch(p.readers, reader)
			if found {
				first++
			}
			p.readers = p.readers[first:]
		}
		page.More = n < len(ids)-1
		if len(p.readers) > limit {
			p.readers, page.More = p.readers[:limit], true
		}
		if last := len(p.readers) - 1; last >= 0 {
			page.Done, page.Last = page.Done+last+1, followers.CursorOf(x.db, audience, i, p.readers[last])
		}
		limit -= len(p.readers)
		if parts = append(parts, p); limit == 0 && page.More {
			break
		}
	}
	return parts, page, damaged, nil
}

// Readers returns up to limit followers of an audience after the cursor after, as a page of a job. It costs a
// read for each index document, and two. If the error is of damaged documents alone, the page has the
// followers in the other documents.
func (x *Delivery) Readers(ctx context.Context, audience string, after *firestore.DocumentRef, limit int) (ids []string, page chunker.Page, err error) {
	parts, page, damaged, err := x.readersAfter(ctx, audience, after, limit)
	for _, part := range parts {
		ids = append(ids, part.readers...)
	}
	return ids, page, errors.Join(err, damaged)
}

// readersOf reads an index document whole: one read for up to 10,000 readers. A deleted document has no
// readers.
func (x *Delivery) readersOf(ctx context.Context, audience, index string) (part, error) {
	share, err := x.graph.Pool.Memory.Take(ctx, x.db.Config.FullBytes())
	if err != nil {
		return part{}, err
	}
	defer share.Release()
	docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.IndexDocuments(audience).Doc(index)})
	if err != nil || !docs[0].Exists() {
		return part{index: index}, err
	}
	doc, err := schema.DecodeIndexDocument(docs[0])
	if err != nil {
		return part{index: index}, err
	}
	readers := slices.DeleteFunc(doc.Followers, func(r string) bool { return schema.CheckAccountID(r) != nil })
	slices.Sort(readers)
	return part{index: index, version: doc.Version, readAt: docs[0].ReadTime, readers: slices.Compact(readers)}, nil
}

// askedByName is how many edges are read at once, without a query for new followers.
const askedByName = 25

// sinceBefore leaves out the readers of a part who do not get a post by a fan-out: the post was already older
// than [schema.MaxAhead] when they followed. For a younger post it costs nothing. For an older one it costs a
// read for each newer follower, or for each reader if there are fewer readers.
//
// A follower document without createdAt is not found to be new. Among more than askedByName readers, such a
// follower gets a late post although the follow is newer.
func (x *Delivery) sinceBefore(ctx context.Context, post *posts.Post, part part, some []string) ([]string, error) {
	from := post.CreatedAt().Add(schema.MaxAhead)
	if part.readAt.Before(from) || len(some) == 0 {
		return some, nil
	}
	if len(some) > askedByName {
		newer, err := x.db.User(post.Audience).Collection(x.db.Config.Collections().Followers).Where(schema.FieldCreatedAt, ">=", from).Where(schema.FieldCreatedAt, "<=", schema.LatestTime).
			Select().Limit(len(some)).Documents(ctx).GetAll()
		if err != nil {
			return nil, err
		}
		if len(newer) < len(some) {
			left := map[string]bool{}
			for _, doc := range newer {
				left[doc.Ref.ID] = true
			}
			return slices.DeleteFunc(some, func(r string) bool { return left[r] }), nil
		}
	}
	before := map[string]bool{}
	for refs := range slices.Chunk(some, schema.MaxBatch) {
		edges := make([]*firestore.DocumentRef, len(refs))
		for n, r := range refs {
			edges[n] = x.db.Edge(post.Audience, r)
		}
		docs, err := x.db.Client.GetAll(ctx, edges)
		if err != nil {
			return nil, err
		}
		for n, edge := range docs {
			before[refs[n]] = edge.Exists() && readers.FollowedAt(edge).Before(from)
		}
	}
	return slices.DeleteFunc(some, func(r string) bool { return !before[r] }), nil
}

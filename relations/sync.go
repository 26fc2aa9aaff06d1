package relations

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/batch"
)

// sync brings every relation of u's index document i to i's version. If more than
// InlineLimit are stale, a job does that.
//
// sync takes no lock. It updates each relation on the condition that the relation has not
// changed since it was read, so a late twin cannot write old data. If a changed relation
// is still stale, the next round finds it. A concurrent fanout committed either before
// the members transaction or after it. If before, the query below finds its relation. If
// after, it copied the new array.
//
// A crash anywhere leaves stale relations; the event is redelivered.
func (x *Index) sync(ctx context.Context, b *batch.Batch, u, i string) error {
	return x.syncOr(ctx, b, u, i, x.enqueueIndex)
}

// syncOr is sync, but calls rest for more than InlineLimit documents.
func (x *Index) syncOr(ctx context.Context, b *batch.Batch, u, i string, rest indexWork) error {
	index, err := x.readMeta(ctx, u, i)
	if err != nil || index == nil {
		return err
	}
	if !index.Backfilled {
		done, err := x.backfill(ctx, u, i, index, rest)
		if err != nil || !done || !index.mentionsLeavers() {
			return err
		}
		index = nil
	}
	if index == nil { // backfilled
		if index, err = x.readMeta(ctx, u, i); err != nil || index == nil {
			return err
		}
	}
	// Later changes have events of their own. Following them would not end while others
	// write. But no relation may be below the version that forget checks, because it
	// would need the forgotten changes.
	version := index.Version
	return untilSettled(ctx, func() (int, error) {
		stale, err := x.staleRelations(ctx, u, i, version, x.opts.InlineLimit+1)
		if err != nil {
			return 0, err
		}
		if len(stale) > x.opts.InlineLimit {
			return 0, rest(ctx, u, i, *index)
		}
		waited, err := b.AwaitTurn(ctx, newestUpdate(stale))
		if err != nil {
			return 0, err
		}
		if waited {
			now, err := x.readMeta(ctx, u, i)
			if err != nil || now == nil {
				return 0, err
			}
			index, version = now, now.Version // to apply later changes too
			return 1, nil
		}
		left, err := x.advanceAll(ctx, u, i, *index, stale)
		if left == 0 && err == nil {
			err = x.forget(ctx, u, i, *index)
		}
		return left, err
	})
}

// backfill creates the relations of a just opened index document i, for all posts of u,
// and marks the document. For more than InlineLimit posts it calls rest, and returns
// false.
//
// A concurrent post has its own fanout, which includes i: users/u names i since the
// transaction that opened it. A crash before the mark leaves the document unmarked. The
// next event, or the job, does the work again.
func (x *Index) backfill(ctx context.Context, u, i string, index *IndexDocument, rest indexWork) (done bool, err error) {
	posts, err := x.authorPosts(u).Limit(x.opts.InlineLimit + 1).Documents(ctx).GetAll()
	if err != nil {
		return false, err
	}
	if len(posts) > x.opts.InlineLimit {
		return false, rest(ctx, u, i, *index)
	}
	if err := x.backfillPosts(ctx, u, i, index, ids(posts)); err != nil {
		return false, err
	}
	return true, x.markBackfilled(ctx, u, i, *index)
}

// backfillPosts copies the relations of posts and index document i, in as few
// transactions as their size allows.
func (x *Index) backfillPosts(ctx context.Context, u, i string, index *IndexDocument, posts []string) error {
	return untilSettled(ctx, func() (stale int, err error) {
		if index == nil { // not the first round: the document has grown
			if index, err = x.readMeta(ctx, u, i); err != nil || index == nil {
				return 0, err
			}
		}
		ids, size := index.Count, index.SizeBytes
		index = nil
		parts := packed(posts, func(p string) int { return relationBytes(x.opts, relationID(p, i), ids, size) })
		bytes := func([]string) int { return x.opts.fullBytes() }
		return eachHolding(ctx, x, parts, bytes, func(ctx context.Context, share *batch.Share, part []string) error {
			return halved(part,
				func(part []string) error { return x.copyRelations(ctx, share, u, part, []string{i}) },
				func(p string, refused error) error { return x.copyBare(ctx, share, u, p, i, refused) })
		})
	})
}

// markBackfilled marks the index document that was read as index. It does not mark a
// newer document of that name, opened by an account that came back. The event that opened
// it creates its relations.
func (x *Index) markBackfilled(ctx context.Context, u, i string, index IndexDocument) error {
	return untilSettled(ctx, func() (int, error) {
		_, err := x.indexDocuments(u).Doc(i).Update(ctx,
			[]firestore.Update{{Path: fieldBackfilled, Value: true}}, firestore.LastUpdateTime(index.updated))
		if !isStale(err) {
			return 0, err
		}
		now, err := x.readMeta(ctx, u, i)
		if err != nil || now == nil || !now.created.Equal(index.created) { // the account is gone, or back
			return 0, err
		}
		index = *now
		return 1, nil
	})
}

// authorPosts returns a query for u's posts, without their fields.
func (x *Index) authorPosts(u string) firestore.Query {
	return x.client.Collection(x.opts.Collections.Posts).
		Where(fieldUserID, "==", u).OrderBy(firestore.DocumentID, firestore.Asc).Select()
}

// readMeta reads index document i of u without its followers; nil if there is none.
func (x *Index) readMeta(ctx context.Context, u, i string) (*IndexDocument, error) {
	docs, err := x.client.GetAll(x.withoutFollowers(ctx), []*firestore.DocumentRef{x.indexDocuments(u).Doc(i)})
	if err != nil {
		return nil, err
	}
	if !docs[0].Exists() {
		return nil, nil //nolint:nilnil // a missing document is an answer, not an error
	}
	meta, err := decodeMeta(docs[0])
	return &meta, err
}

// staleQuery returns a query for the relations of (u, i) below a version.
func (x *Index) staleQuery(u, i string, version int64) firestore.Query {
	return x.relations().
		Where(fieldUserID, "==", u).
		Where(fieldIndexID, "==", i).
		Where(fieldIndexVersion, "<", version).
		Select(fieldIndexVersion)
}

// staleRelations returns up to limit relations of (u, i) below version.
func (x *Index) staleRelations(ctx context.Context, u, i string, version int64, limit int) ([]relationMeta, error) {
	docs, err := x.staleQuery(u, i, version).Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	metas := make([]relationMeta, len(docs))
	for n, doc := range docs {
		metas[n] = relationMeta{ref: doc.Ref, updated: doc.UpdateTime}
		metas[n].version, _ = fieldsOf(doc, fieldIndexVersion)[fieldIndexVersion].(int64)
	}
	return metas, nil
}

// newestUpdate returns when the last of relations was updated; zero if there are none.
func newestUpdate(relations []relationMeta) (newest time.Time) {
	for _, r := range relations {
		if r.updated.After(newest) {
			newest = r.updated
		}
	}
	return newest
}

// advanceAll brings relations of (u, i) to index's version, and counts the stale writes.
// If the change log does not reach back to a relation, it copies the whole array.
func (x *Index) advanceAll(ctx context.Context, u, i string, index IndexDocument, stale []relationMeta) (int, error) {
	var logged, behind []relationMeta
	for _, r := range stale {
		if _, _, ok := delta(index.Changes, r.version, index.Version); ok {
			logged = append(logged, r)
		} else {
			behind = append(behind, r)
		}
	}
	left, err := each(ctx, x, logged, func(ctx context.Context, r relationMeta) error {
		return x.advance(ctx, index, r)
	})
	bytes := func([]relationMeta) int { return 2 * x.opts.fullBytes() } // an array as read, and as sent
	copied, copyErr := eachHolding(ctx, x, chunks(behind, copiesPerRead), bytes, func(ctx context.Context, _ *batch.Share, part []relationMeta) error {
		return x.copyArray(ctx, u, i, part)
	})
	// A stale part may have written some of its relations: the caller queries again to
	// see whether all are done.
	return left + copied, errors.Join(err, copyErr)
}

// copyArray copies the array and version of index document i, as it is now, to relations
// of (u, i). Each call reads the array again, so that no array is held while other
// relations wait for a share of the memory budget. The caller has a share for it.
// copyArray is stale if a relation has changed. It continues after that, and after
// errors.
func (x *Index) copyArray(ctx context.Context, u, i string, relations []relationMeta) error {
	doc, err := x.indexDocuments(u).Doc(i).Get(ctx)
	if err != nil {
		return err
	}
	now, err := decodeMeta(doc)
	if err != nil {
		return err
	}
	var changed error
	var failed failures
	for _, r := range relations {
		err := x.updateIfSame(ctx, &r, []firestore.Update{
			{Path: fieldFollowers, Value: now.followers()},
			{Path: fieldIndexVersion, Value: now.Version},
			{Path: fieldSizeBytes, Value: now.SizeBytes},
		})
		switch {
		case isStale(err):
			changed = errStale
		case err != nil:
			failed.add(err)
		}
	}
	return cmp.Or(failed.joined(), changed)
}

// advance brings a relation to index's version by the change log.
func (x *Index) advance(ctx context.Context, index IndexDocument, r relationMeta) error {
	add, remove, _ := delta(index.Changes, r.version, index.Version)
	version := []firestore.Update{
		{Path: fieldIndexVersion, Value: index.Version},
		{Path: fieldSizeBytes, Value: index.SizeBytes},
	}
	if len(remove) > 0 {
		updates := []firestore.Update{{Path: fieldFollowers, Value: firestore.ArrayRemove(anys(remove)...)}}
		if len(add) == 0 {
			return x.updateIfSame(ctx, &r, append(updates, version...))
		}
		// One write cannot both remove from an array and add to it. A crash between the
		// two writes leaves the old version: both are repeated.
		if err := x.updateIfSame(ctx, &r, updates); err != nil {
			return err
		}
	}
	if len(add) > 0 {
		version = append(version, firestore.Update{Path: fieldFollowers, Value: firestore.ArrayUnion(anys(add)...)})
	}
	return x.updateIfSame(ctx, &r, version)
}

// updateIfSame updates a relation if it is as it was read. If the relation has no room
// for the update, it loses its copied fields: see bare.go.
func (x *Index) updateIfSame(ctx context.Context, r *relationMeta, updates []firestore.Update) error {
	update := func(updates []firestore.Update) error {
		result, err := r.ref.Update(ctx, updates, firestore.LastUpdateTime(r.updated))
		if err != nil {
			return err
		}
		r.updated = result.UpdateTime
		return nil
	}
	refused := update(updates)
	if !isRefused(refused) {
		return refused
	}
	bared, err := x.bared(ctx, r.ref)
	if err != nil {
		return err
	}
	if len(bared) == 0 {
		return refusedAlone(r.ref, refused) // there are no copies to remove
	}
	x.tellBare(ctx, r.ref, refused)
	return refusedAlone(r.ref, update(append(bared, updates...)))
}

// indexWork brings all relations of u's index document i to index, as read, or enqueues
// that.
type indexWork func(ctx context.Context, u, i string, index IndexDocument) error

// enqueueIndex enqueues a job for index document i of u that covers its version. A
// restored document may have the same version again, so the generation has its creation
// time too.
func (x *Index) enqueueIndex(ctx context.Context, u, i string, index IndexDocument) error {
	return x.enqueueIndexJob(ctx, u, i, Generation(index.created)+" "+strconv.FormatInt(index.Version, 10))
}

func (x *Index) enqueueIndexJob(ctx context.Context, u, i, generation string) error {
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: indexJobID(u, i), Kind: kindIndex,
		Args:       map[string]string{argAuthor: u, argIndex: i},
		Owner:      ownerOf(u),
		Generation: generation,
	})
}

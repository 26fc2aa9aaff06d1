package relations

import (
	"cmp"
	"context"
	"errors"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/batch"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// sync brings every relation of audience u's index document i to i's version. If the backfill is not done, sync first
// does a page of it. If more than InlineLimit relations are stale or missing, a job does all of the work: a job that
// works beside sync on the same relations would make them stale again.
//
// sync takes no lock. It updates each relation on the condition that the relation has not
// changed since it was read, so a late twin cannot write old data. If a changed relation
// is still stale, the next round finds it. A concurrent fanout committed either before
// the members transaction or after it. If before, the query below finds its relation. If
// after, it copied the new array.
//
// A crash anywhere leaves stale relations; the event is redelivered.
func (x *Delivery) sync(ctx context.Context, b *batch.Batch, u, i string) error {
	return x.SyncOr(ctx, b, u, i, x.graph.EnqueueIndex)
}

// SyncOr is sync, but calls rest if there are more than InlineLimit documents to write, or more than
// [schema.InlineBytes] of follower ids to copy.
func (x *Delivery) SyncOr(ctx context.Context, b *batch.Batch, u, i string, rest indexWork) error {
	index, err := x.graph.ReadMeta(ctx, u, i)
	if err != nil || index == nil {
		return err
	}
	if !index.Backfilled {
		page, err := x.backfill(ctx, u, i, *index, nil, x.db.Config.InlineLimit+1, true)
		if err == nil && (page.More || page.Waits) { // the job also does the sync
			return rest(ctx, u, i, *index)
		}
		if err != nil || !index.MentionsLeavers() {
			return err
		}
		if index, err = x.graph.ReadMeta(ctx, u, i); err != nil || index == nil {
			return err
		}
	}
	// Later changes have events of their own. To apply them here too would not end while others write. But no relation
	// may be below the version at which EmptyChangeLog empties the log: such a relation would need the removed changes.
	version := index.Version
	return work.UntilSettled(ctx, func() (int, error) {
		stale, err := x.staleRelations(ctx, u, i, version, x.db.Config.InlineLimit+1)
		if err != nil {
			return 0, err
		}
		_, behind := plan.Logged(*index, stale)
		if len(stale) > x.db.Config.InlineLimit || len(behind)*index.SizeBytes > schema.InlineBytes {
			return 0, rest(ctx, u, i, *index)
		}
		waited, err := b.AwaitTurn(ctx, plan.NewestUpdate(stale))
		if err != nil {
			return 0, err
		}
		if waited {
			now, err := x.graph.ReadMeta(ctx, u, i)
			if err != nil || now == nil {
				return 0, err
			}
			index, version = now, now.Version // to apply later changes too
			return 1, nil
		}
		left, err := x.advanceAll(ctx, u, i, *index, stale)
		if left == 0 && err == nil {
			err = x.graph.EmptyChangeLog(ctx, u, i, *index)
		}
		return left, err
	})
}

// backfillPosts copies the relations of posts and index document i, in as few transactions as the size of the relations
// allows.
func (x *Delivery) backfillPosts(ctx context.Context, u, i string, index *schema.IndexDocument, ids []string) error {
	return work.UntilSettled(ctx, func() (stale int, err error) {
		now := index
		index = nil // in the next round: the document has grown
		return x.copyPosts(ctx, u, i, now, ids)
	})
}

// BackfillPosts copies the relations of posts and index document i.
func (x *Delivery) BackfillPosts(ctx context.Context, u, i string, ids []string) error {
	return x.backfillPosts(ctx, u, i, nil, ids)
}

// copyPosts is copyRelations of posts and index document i, which is read if index is nil.
func (x *Delivery) copyPosts(ctx context.Context, u, i string, index *schema.IndexDocument, ids []string) (stale int, err error) {
	if index == nil {
		if index, err = x.graph.ReadMeta(ctx, u, i); err != nil || index == nil {
			return 0, err
		}
	}
	parts := work.SplitByBytes(ids, func(p string) int {
		return plan.RelationBytes(schema.RelationID(p, i), index.Count, index.SizeBytes)
	})
	bytes := func([]string) int { return x.db.Config.FullBytes() }
	return work.EachHolding(ctx, x.graph.Pool, parts, bytes, func(ctx context.Context, share *batch.Share, part []string) error {
		return work.BisectRejected(part,
			func(part []string) error { return x.copyRelations(ctx, share, u, part, []string{i}) },
			func(p string, rejected error) error { return x.copyBare(ctx, share, u, p, i, rejected) })
	})
}

// StaleQuery returns a query for the relations of (u, i) below a version.
func (x *Delivery) StaleQuery(u, i string, version int64) firestore.Query {
	return x.db.Relations().
		Where(schema.FieldAudience, "==", u).
		Where(schema.FieldIndexID, "==", i).
		Where(schema.FieldIndexVersion, "<", version).
		Select(schema.FieldIndexVersion)
}

// HasStale reports whether a relation of (u, i) is below version. It costs a read.
func (x *Delivery) HasStale(ctx context.Context, u, i string, version int64) (bool, error) {
	stale, err := x.staleRelations(ctx, u, i, version, 1)
	return len(stale) > 0, err
}

// staleRelations returns up to limit relations of (u, i) below version.
func (x *Delivery) staleRelations(ctx context.Context, u, i string, version int64, limit int) ([]plan.Relation, error) {
	docs, err := x.StaleQuery(u, i, version).Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	return x.decodeStale(u, docs), nil
}

// decodeStale decodes relations of audience u that StaleQuery found.
func (x *Delivery) decodeStale(u string, docs []*firestore.DocumentSnapshot) []plan.Relation {
	stale := plan.Decode(x.db.Config, docs)
	for n := range stale {
		stale[n].Audience = u
	}
	return stale
}

// advanceAll brings relations of (u, i) to index's version, and counts the stale writes. If the change log does not
// reach back to a relation, advanceAll copies the whole array.
func (x *Delivery) advanceAll(ctx context.Context, u, i string, index schema.IndexDocument, stale []plan.Relation) (int, error) {
	logged, behind := plan.Logged(index, stale)
	left, err := work.Each(ctx, x.graph.Pool, logged, func(ctx context.Context, r plan.Relation) error {
		return x.advance(ctx, index, r)
	})
	bytes := func([]plan.Relation) int { return 2 * x.db.Config.FullBytes() } // one array as read, and one as sent
	copied, copyErr := work.EachHolding(ctx, x.graph.Pool, store.Chunks(behind, schema.CopiesPerRead), bytes, func(ctx context.Context, _ *batch.Share, part []plan.Relation) error {
		return x.copyArray(ctx, u, i, part)
	})
	// A stale part may have written some of its relations. So the caller queries again for the remaining ones.
	return left + copied, errors.Join(err, copyErr)
}

// copyArray copies the current array and version of index document i to relations of (u, i). Each call reads the array
// again, so that no array is held while other relations wait for a share of the memory budget. The caller has a share
// for the array. copyArray is stale if a relation has changed. It continues after a changed relation, and after errors.
func (x *Delivery) copyArray(ctx context.Context, u, i string, relations []plan.Relation) error {
	doc, err := x.db.IndexDocuments(u).Doc(i).Get(ctx)
	if err != nil {
		return err
	}
	now, err := schema.DecodeIndexDocument(doc)
	if err != nil {
		return err
	}
	var changed error
	var failed work.Failures
	for _, r := range relations {
		err := x.updateIfSame(ctx, &r, []firestore.Update{
			{Path: schema.FieldFollowers, Value: now.FollowerIDs()},
			{Path: schema.FieldIndexVersion, Value: now.Version},
			{Path: schema.FieldSizeBytes, Value: now.SizeBytes},
		})
		switch {
		case store.IsStale(err):
			changed = store.ErrStale
		case err != nil:
			failed.Add(err)
		}
	}
	return cmp.Or(failed.Joined(), changed)
}

// advance brings a relation to index's version by the change log.
func (x *Delivery) advance(ctx context.Context, index schema.IndexDocument, r plan.Relation) error {
	add, remove, _ := plan.Delta(index.Changes, r.Version, index.Version)
	version := []firestore.Update{
		{Path: schema.FieldIndexVersion, Value: index.Version},
		{Path: schema.FieldSizeBytes, Value: index.SizeBytes},
	}
	if len(remove) > 0 {
		updates := []firestore.Update{{Path: schema.FieldFollowers, Value: firestore.ArrayRemove(store.Values(remove)...)}}
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
		version = append(version, firestore.Update{Path: schema.FieldFollowers, Value: firestore.ArrayUnion(store.Values(add)...)})
	}
	return x.updateIfSame(ctx, &r, version)
}

// updateIfSame updates a relation if it is as it was read. If the relation has no room for the update, updateIfSame
// removes its copied fields: see bare.go.
func (x *Delivery) updateIfSame(ctx context.Context, r *plan.Relation, updates []firestore.Update) error {
	update := func(updates []firestore.Update) error {
		result, err := r.Ref.Update(ctx, updates, firestore.LastUpdateTime(r.Updated))
		if err != nil {
			return err
		}
		r.Updated = result.UpdateTime
		return nil
	}
	rejected := update(updates)
	if !store.IsRejected(rejected) {
		return rejected
	}
	bared, err := x.bared(ctx, r.Ref)
	if err != nil {
		return err
	}
	if len(bared) == 0 {
		return work.Rejected(r.Ref, r.Audience, rejected) // there are no copies to remove
	}
	x.logBare(ctx, r.Ref, rejected)
	return work.Rejected(r.Ref, r.Audience, update(append(bared, updates...)))
}

// indexWork brings all relations of u's index document i to index, as read, or enqueues a job for that.
type indexWork func(ctx context.Context, u, i string, index schema.IndexDocument) error

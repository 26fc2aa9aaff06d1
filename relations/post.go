package relations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/batch"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// Edited makes the existing relations of post p match the current post, and deletes those that it no longer has, as Post
// does. It creates none, and adds nobody to the direct relation. It costs the same as Post.
func (x *Delivery) Edited(ctx context.Context, p string) error { return x.update(ctx, p, false) }

// Post makes the relations of post p match the current post. It creates missing relations (fanout) and updates copied
// fields (refresh). It deletes the relations of a post that is gone or hidden, or that has another author or audience
// now (retract). When Post returns nil, all of that is durable, in documents or in jobs. Post reports work that cannot
// be done: see [followers.Graph.PastDamage].
//
// Post deletes the relations of a post without an author, and returns ErrBadDocument. If the audience is bad, Post
// deletes the relations to the audience; if the recipients are bad, the direct relation. It then returns
// ErrBadDocument.
//
// Post writes nothing if nothing has changed, or if the call is repeated. Concurrent calls for the same post are safe.
//
// Post does the work itself if it is one page: see [Delivery.planPost]. Otherwise it leaves all of the work to jobs, but for
// a new direct relation, so that the people in it have the post when they are notified. If Post worked beside the jobs on
// the same relations, the jobs would have to plan again. A page is at most InlineLimit
// documents. It creates only as many as [schema.InlineBytes] of follower ids allow.
//
// While the brake is on, jobs do all of the work if a relation is to be created: see [Delivery.planPost].
//
// A new post of an author with k index documents, in one page, costs k writes and at most
// 2k + 4 reads. A post with n recipients costs one write and up to n + 1 reads more. An
// edit of a copied field or a delete costs the same or less.
func (x *Delivery) Post(ctx context.Context, p string) error { return x.update(ctx, p, true) }

// update is Post, or Edited unless it brings.
func (x *Delivery) update(ctx context.Context, p string, brings bool) error {
	if err := schema.CheckPostID(p); err != nil {
		return schema.BadDocument(x.db.Config.Collections().Posts+"/"+p, "%w", err)
	}
	var bad, damaged error
	err := work.UntilSettled(ctx, func() (int, error) {
		t, err := x.planPost(ctx, p, plan.WindowOf(x.db, p, plan.Range{}, nil), x.db.Config.InlineLimit+1, schema.InlineBytes, brings)
		if err != nil {
			return 0, err
		}
		bad, damaged = t.bad, t.damaged
		if t.page.More || t.waits || t.todo.Size() > x.db.Config.InlineLimit {
			if len(t.todo.Create) > 0 && t.todo.Create[0] == schema.DirectIndex {
				if stale, err := work.Each(ctx, x.graph.Pool, []string{p}, x.CopyDirect); stale > 0 || err != nil {
					return stale, err
				}
			}
			return x.enqueuePost(ctx, p, t, brings)
		}
		return x.applyPost(ctx, p, t.post, t.todo)
	})
	if err = x.graph.PastDamage(ctx, errors.Join(err, damaged)); err != nil {
		return fmt.Errorf("relations of %s: %w", x.db.Post(p).Path, err)
	}
	return bad
}

// applyPost carries out a plan, and counts the stale transactions. A nil post is gone or
// bad. Neither a failure nor a damaged index document stops the rest of the plan.
func (x *Delivery) applyPost(ctx context.Context, p string, post *posts.Post, todo plan.Todo) (stale int, err error) {
	var create, refresh, drop int
	var failed [4]error
	var direct int
	if todo.Narrow {
		failed[3] = x.Take(ctx, p, nil)
	}
	if post != nil {
		indexes := slices.DeleteFunc(slices.Clone(todo.Create), func(i string) bool { return i == schema.DirectIndex })
		if len(indexes) < len(todo.Create) {
			direct, failed[3] = work.Each(ctx, x.graph.Pool, []string{p}, x.CopyDirect)
		}
		parts := work.SplitByBytes(indexes, func(i string) int { return plan.CreateBytes(x.db.Config, schema.RelationID(p, i), post.Fields) })
		bytes := func(part []string) int { return len(part) * x.db.Config.FullBytes() }
		create, failed[0] = work.EachHolding(ctx, x.graph.Pool, parts, bytes, func(ctx context.Context, share *batch.Share, part []string) error {
			return work.BisectRejected(part,
				func(part []string) error {
					return x.copyRelations(ctx, share, post.Audience, []string{p}, part)
				},
				func(i string, rejected error) error {
					return x.copyBare(ctx, share, post.Audience, p, i, rejected)
				})
		})
		old := work.SplitByBytes(todo.Refresh, func(r plan.Relation) int { return r.RefreshBytes(x.db.Config, post.Fields) })
		refresh, failed[1] = work.EachHolding(ctx, x.graph.Pool, old, nil, func(ctx context.Context, share *batch.Share, part []plan.Relation) error {
			return work.BisectRejected(part,
				func(part []plan.Relation) error { return x.refresh(ctx, p, part) },
				func(r plan.Relation, rejected error) error {
					if schema.RelationID(p, r.IndexID) != r.Ref.ID {
						return work.Rejected(r.Ref, cmp.Or(r.Audience, r.UserID), rejected) // its id is wrong: verify reports that
					}
					if r.IndexID == schema.DirectIndex {
						return x.CopyDirect(ctx, p)
					}
					return x.copyBare(ctx, share, post.Audience, p, r.IndexID, rejected)
				})
		})
	}
	gone := work.SplitByBytes(todo.Drop, func(r plan.Relation) int { return r.Bytes(x.db.Config) })
	drop, failed[2] = work.EachHolding(ctx, x.graph.Pool, gone, nil, func(ctx context.Context, _ *batch.Share, part []plan.Relation) error {
		return work.BisectRejected(part,
			func(part []plan.Relation) error { return x.retract(ctx, p, part) },
			func(r plan.Relation, rejected error) error {
				return work.Rejected(r.Ref, cmp.Or(r.Audience, r.UserID), rejected)
			})
	})
	return create + refresh + drop + direct, errors.Join(failed[:]...)
}

// refresh copies the current fields of post p to its relations, and sets when they expire. The transaction reads p: of
// two edits at once, the transaction that commits last has read the newer post. refresh is stale if p or a relation is
// gone, or if the relation no longer belongs to p: see [plan.Relation.IsOf].
//
// A crash before the commit leaves old fields; the event is redelivered.
func (x *Delivery) refresh(ctx context.Context, p string, relations []plan.Relation) error {
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		horizon, err := x.db.Horizons.Read(ctx)
		if err != nil {
			return err
		}
		snap, err := store.GetMaybe(tx, x.db.Post(p))
		if err != nil {
			return err
		}
		if !snap.Exists() {
			return store.ErrStale
		}
		post, err := posts.Decode(x.db.Config, snap)
		if err != nil {
			return store.ErrStale
		}
		for _, r := range relations {
			if !r.IsOf(post) {
				return store.ErrStale
			}
		}
		for _, r := range relations {
			if err := tx.Update(r.Ref, r.Refreshed(post, horizon)); err != nil {
				return err
			}
		}
		return nil
	})
}

// retract deletes relations of post p. It requires that p is still gone, or that the relations do not belong to p (see
// [plan.Relation.IsOf]). It also requires that the relations are as they were read. Otherwise it is stale.
//
// A crash before the commit leaves relations that should be gone; the event is
// redelivered.
func (x *Delivery) retract(ctx context.Context, p string, relations []plan.Relation) error {
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		snap, err := store.GetMaybe(tx, x.db.Post(p))
		if err != nil {
			return err
		}
		var post posts.Post // a post of nobody: it has no relations
		if snap.Exists() {
			if now, err := posts.Decode(x.db.Config, snap); err == nil {
				post = now
			}
		}
		for _, r := range relations {
			if r.IsOf(post) {
				return store.ErrStale
			}
		}
		for _, r := range relations {
			if err := tx.Delete(r.Ref, firestore.LastUpdateTime(r.Updated)); err != nil {
				return err
			}
		}
		return nil
	})
}

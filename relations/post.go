package relations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/runtime/batch"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Post makes the relations of post p match the post as it is now. It creates missing
// relations (fanout) and updates copied fields (refresh). It deletes the relations of a
// post that is gone or hidden, or that has another author or audience now (retract). When Post returns nil, all
// of that is durable, in documents or in a job.
//
// Post deletes the relations of a post without an author, and returns ErrBadDocument. So
// it does if the audience or the recipients are bad: then nobody gets the post by them. It
// skips damaged index documents, which their jobs mend, and relations that Firestore
// rejects; then it returns ErrDamaged.
//
// If nothing has changed, or for a second call, Post writes nothing. Concurrent calls for
// the same post are safe.
//
// A new post of an author with k ≤ InlineLimit index documents costs k writes and at most
// 2k + 4 reads. A post with n recipients costs one write and up to n + 1 reads more. An edit of a copied field or a delete costs the same or less. Beyond
// InlineLimit, the costs of the job come on top.
func (x *Delivery) Post(ctx context.Context, p string) error {
	if err := schema.CheckID(p); err != nil {
		return schema.BadDocument(x.db.Options.Collections.Posts+"/"+p, "%v", err)
	}
	var bad error
	err := work.UntilSettled(ctx, func() (int, error) {
		post, generation, err := x.CurrentPost(ctx, p)
		if bad = err; err != nil && !errors.Is(err, schema.ErrBadDocument) {
			return 0, err
		}
		var indexes []string
		var author string
		if post != nil {
			author, bad = post.Author, post.Bad
			if indexes, err = x.indexesOf(ctx, post); err != nil {
				return 0, err
			}
		}
		relations, page, err := x.readRelations(ctx, p, x.relationsOfPost(p), x.db.Options.InlineLimit+1)
		if err != nil {
			return 0, err
		}
		plan := planPost(post, relationsOf(post, indexes), relations)
		if page.More || plan.size() > x.db.Options.InlineLimit {
			return 0, x.enqueuePost(ctx, p, author, generation, indexes, relations)
		}
		return x.applyPost(ctx, p, post, plan)
	})
	if err != nil {
		return x.graph.MendSoon(ctx, fmt.Errorf("relations of %s: %w", x.db.Post(p).Path, err))
	}
	return bad
}

// indexesOf returns the ids of the index documents of a post's audience. A hidden post has
// none.
func (x *Delivery) indexesOf(ctx context.Context, post *PostState) ([]string, error) {
	if post.Audience == "" {
		return nil, nil
	}
	return x.graph.IndexIDs(ctx, post.Audience)
}

// CurrentPost returns post p as it is now (nil: gone or bad), and the generation that a
// job for it must cover.
func (x *Delivery) CurrentPost(ctx context.Context, p string) (*PostState, string, error) {
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Post(p)})
	if err != nil {
		return nil, "", err
	}
	snap := snaps[0]
	if !snap.Exists() {
		// Two deletions of a post must not look the same to a job that is done.
		return nil, "gone " + strconv.FormatInt(snap.ReadTime.UnixNano(), 10), nil
	}
	generation := snap.UpdateTime.Format(time.RFC3339Nano)
	state, err := x.ReadPost(snap)
	if err != nil {
		return nil, generation, err
	}
	return &state, generation, nil
}

// relationsOfPost returns a query that finds the relations of post p by name. It needs no
// index, and works for post ids too long for a filter. Only an earlier release named
// other posts' relations so that they sort between these; readRelations skips them.
func (x *Delivery) relationsOfPost(p string) firestore.Query {
	return x.db.Relations().OrderBy(firestore.DocumentID, firestore.Asc).Select(x.metaOfRelation()...).
		StartAt(x.db.Relation(p, "0")).
		EndAt(x.db.Relation(p, ":")) // ":" follows "9"
}

// metaOfRelation returns the fields that are read of a relation: all but the followers.
func (x *Delivery) metaOfRelation() []string {
	return append(slices.DeleteFunc(names.RelationFields(), func(f string) bool { return f == schema.FieldFollowers }), x.db.Options.CopiedFields...)
}

// readRelations returns the relations of post p that q finds, without their followers,
// and the page of documents that it read.
func (x *Delivery) readRelations(ctx context.Context, p string, q firestore.Query, limit int) ([]relationMeta, chunker.Page, error) {
	docs, err := q.Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return nil, chunker.Page{}, err
	}
	var metas []relationMeta
	for _, doc := range docs {
		data := schema.FieldsOf(doc, x.metaOfRelation()...)
		if data[schema.FieldPostID] != p {
			continue
		}
		meta := relationMeta{ref: doc.Ref, updated: doc.UpdateTime}
		meta.userID, _ = data[schema.FieldUserID].(string)
		meta.audience, _ = data[schema.FieldAudience].(string)
		meta.indexID, _ = data[schema.FieldIndexID].(string)
		meta.version, _ = data[schema.FieldIndexVersion].(int64)
		meta.size = intOf(data[schema.FieldSizeBytes])
		for _, own := range names.RelationFields() {
			if own != schema.FieldCreatedAt {
				delete(data, own)
			}
		}
		meta.fields = data
		metas = append(metas, meta)
	}
	return metas, bulk.PageOf(docs, limit), nil
}

// applyPost carries out a plan, and counts the stale transactions. A nil post is gone or
// bad. Neither a failure nor a damaged index document stops the rest of the plan.
func (x *Delivery) applyPost(ctx context.Context, p string, post *PostState, plan postPlan) (stale int, err error) {
	var create, refresh, drop int
	var failed [4]error
	var direct int
	if post != nil {
		indexes := slices.DeleteFunc(slices.Clone(plan.create), func(i string) bool { return i == schema.DirectIndex })
		if len(indexes) < len(plan.create) {
			direct, failed[3] = work.Each(ctx, x.graph.Pool, []string{p}, x.CopyDirect)
		}
		parts := work.SplitByBytes(indexes, func(i string) int { return createBytes(x.db.Options, schema.RelationID(p, i), post.Fields) })
		bytes := func(part []string) int { return len(part) * x.db.Options.FullBytes() }
		create, failed[0] = work.EachHolding(ctx, x.graph.Pool, parts, bytes, func(ctx context.Context, share *batch.Share, part []string) error {
			return work.BisectRejected(part,
				func(part []string) error { return x.copyRelations(ctx, share, post.Audience, []string{p}, part) },
				func(i string, rejected error) error { return x.copyBare(ctx, share, post.Audience, p, i, rejected) })
		})
		old := work.SplitByBytes(plan.refresh, func(r relationMeta) int { return refreshBytes(x.db.Options, r, post.Fields) })
		refresh, failed[1] = work.EachHolding(ctx, x.graph.Pool, old, nil, func(ctx context.Context, share *batch.Share, part []relationMeta) error {
			return work.BisectRejected(part,
				func(part []relationMeta) error { return x.refresh(ctx, p, part) },
				func(r relationMeta, rejected error) error {
					if schema.RelationID(p, r.indexID) != r.ref.ID {
						return rejectedAlone(r.ref, rejected) // its name is wrong: verify reports it
					}
					if r.indexID == schema.DirectIndex {
						return x.CopyDirect(ctx, p)
					}
					return x.copyBare(ctx, share, post.Audience, p, r.indexID, rejected)
				})
		})
	}
	drop, failed[2] = work.Each(ctx, x.graph.Pool, work.SplitByBytes(plan.drop, func(r relationMeta) int { return bytesIn(x.db.Options, r) }), func(ctx context.Context, part []relationMeta) error {
		return work.BisectRejected(part,
			func(part []relationMeta) error { return x.retract(ctx, p, part) },
			func(r relationMeta, rejected error) error { return rejectedAlone(r.ref, rejected) })
	})
	return create + refresh + drop + direct, errors.Join(failed[:]...)
}

// refresh copies the current fields of post p to its relations. The transaction reads p:
// of two edits at once, the transaction that commits last has read the newer post.
// refresh is stale if p or a relation is gone, or if the relation is no longer of p: see
// isOf.
//
// A crash before the commit leaves old fields; the event is redelivered.
func (x *Delivery) refresh(ctx context.Context, p string, relations []relationMeta) error {
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		snap, err := store.GetMaybe(tx, x.db.Post(p))
		if err != nil {
			return err
		}
		if !snap.Exists() {
			return store.ErrStale
		}
		post, err := x.ReadPost(snap)
		if err != nil {
			return store.ErrStale
		}
		for _, r := range relations {
			if !r.isOf(post) {
				return store.ErrStale
			}
			var updates []firestore.Update
			for name := range r.fields {
				if _, ok := post.Fields[name]; !ok {
					updates = append(updates, firestore.Update{FieldPath: firestore.FieldPath{name}, Value: firestore.Delete})
				}
			}
			for name, v := range post.Fields {
				updates = append(updates, firestore.Update{FieldPath: firestore.FieldPath{name}, Value: v})
			}
			if err := tx.Update(r.ref, updates); err != nil {
				return err
			}
		}
		return nil
	})
}

// retract deletes relations of post p. It requires that p is still gone, or that the
// relations are not of p (see isOf), and that they are as they were read. Otherwise it is
// stale.
//
// A crash before the commit leaves relations that should be gone; the event is
// redelivered.
func (x *Delivery) retract(ctx context.Context, p string, relations []relationMeta) error {
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		snap, err := store.GetMaybe(tx, x.db.Post(p))
		if err != nil {
			return err
		}
		var post PostState // of nobody: it has no relations
		if snap.Exists() {
			if now, err := x.ReadPost(snap); err == nil {
				post = now
			}
		}
		for _, r := range relations {
			if r.isOf(post) {
				return store.ErrStale
			}
			if err := tx.Delete(r.ref, firestore.LastUpdateTime(r.updated)); err != nil {
				return err
			}
		}
		return nil
	})
}

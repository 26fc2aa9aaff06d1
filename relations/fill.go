package relations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/batch"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// heirs says how many of an audience's newest posts must be kept when another stops to be, by
// audience.
type heirs map[string]int

// heirsOf returns the heirs of each audience that a post is about to leave. An audience
// without followers has none.
func (x *Delivery) heirsOf(ctx context.Context, post *posts.Post, relations []plan.Relation, horizon int) (heirs, error) {
	if horizon == 0 { // while the horizon is taken away, readers rely on it
		stored, err := x.db.Horizons.Read(ctx)
		if horizon = stored.Feed; err != nil || horizon == 0 {
			return nil, err
		}
	}
	h := heirs{}
	for _, a := range plan.Leaving(post, relations) {
		indexes, err := x.graph.IndexIDs(ctx, a)
		if err != nil {
			return nil, err
		}
		if h[a] = horizon; len(indexes) == 0 {
			h[a] = 0
		}
	}
	return h, nil
}

// check returns a heirsMissing for heirs of a relation's post that are not kept: an eviction
// has counted posts that are gone. All newest posts are kept at the commit of the transaction,
// which costs two reads for each. It finds them itself: one that is shown again now either is
// among them, or does not count the relation's post any more.
func (x *Delivery) check(ctx context.Context, tx *firestore.Transaction, h heirs, r plan.Relation) error {
	if !r.IsMarker() || h[r.Audience] == 0 {
		return nil
	}
	newest, err := posts.Newest(ctx, tx, x.db, r.Audience, posts.Window{More: h[r.Audience]})
	if err != nil || len(newest) == 0 {
		return err
	}
	missing, err := x.kept.Missing(ctx, tx, r.Audience, posts.IDs(newest))
	if err == nil && len(missing) > 0 {
		err = &heirsMissing{r.Audience, missing}
	}
	return err
}

// heirsMissing is the error of posts to an audience that must be kept first.
type heirsMissing struct {
	audience string
	posts    []string
}

func (h *heirsMissing) Error() string {
	return fmt.Sprintf("%d posts must be kept first", len(h.posts))
}

// keepingFirst calls apply, whose transactions call check. If heirs are not kept, it keeps
// them, and is stale: the caller plans again. Heirs that cannot be kept because documents are
// damaged hold up nothing. Its caller must hold no share of the memory budget.
func (x *Delivery) keepingFirst(ctx context.Context, h heirs, apply func(heirs) (int, error)) (stale int, err error) {
	stale, err = apply(h)
	first, ok := errors.AsType[*heirsMissing](err)
	if !ok {
		return stale, err
	}
	_, err = x.turns.Do(ctx, first.audience, turn{keep: first.posts})
	if !schema.OnlyDamaged(err) {
		return stale + 1, err
	}
	if err := x.graph.SkipDamaged(ctx, err); err != nil {
		return stale, err
	}
	return apply(nil)
}

// keep writes the relations of posts to an audience that are missing: the marker, and one
// for each other index document. Jobs write the others if they are many. It enqueues them
// before the markers, so that a crash leaves no marker without its job, and again after them:
// a job that ran in between found that its post is not kept.
//
// A crash leaves posts that are kept although nobody needs them yet, or jobs that find
// nothing to do. You may call it again.
func (x *Delivery) keep(ctx context.Context, audience string, ids []string) (stale int, err error) {
	indexes, err := x.graph.IndexIDs(ctx, audience)
	if err != nil {
		return 0, err
	}
	next := plan.Next(indexes)
	bytes := func(p string) int {
		return len(indexes) * plan.FullBytes(x.db.Options, schema.RelationID(p, schema.FirstIndex))
	}
	tooMany := slices.ContainsFunc(ids, func(p string) bool { return bytes(p) > schema.TransactionBytes })
	var byJobs []string // index documents
	if len(indexes) > 1 && (tooMany || len(ids)*len(indexes) > x.db.Options.InlineLimit) {
		byJobs, indexes = indexes, indexes[:1]
	}
	if err := x.keepByJobs(ctx, audience, ids, byJobs); err != nil {
		return 0, err
	}
	// All relations of a post in one transaction: who finds the marker finds the others.
	held := func([]string) int { return len(indexes) * x.db.Options.FullBytes() }
	stale, err = work.EachHolding(ctx, x.graph.Pool, work.SplitByBytes(ids, bytes), held, func(ctx context.Context, share *batch.Share, part []string) error {
		return work.BisectRejected(part,
			func(part []string) error { return x.copyRelations(ctx, share, audience, part, indexes, next, false) },
			func(p string, rejected error) error {
				var failed work.Failures
				for _, i := range indexes {
					failed.Add(x.copyBare(ctx, share, audience, p, i, next, rejected))
				}
				return failed.Joined()
			})
	})
	if err == nil || schema.OnlyDamaged(err) {
		err = errors.Join(err, x.keepByJobs(ctx, audience, ids, byJobs))
	}
	if err != nil {
		err = fmt.Errorf("keep posts to %s: %w", x.db.User(audience).Path, err)
	}
	return stale, err
}

// keepFirst keeps posts to u, before index document i is backfilled. It writes their markers:
// other index documents that are not backfilled yet find them then, and those that are have
// all relations but of new posts, whose events come. But the first was damaged if another is
// backfilled before it: posts since then lack relations to others too.
func (x *Delivery) keepFirst(ctx context.Context, u, i string, ids []string) error {
	err := work.UntilSettled(ctx, func() (int, error) {
		indexes, err := x.graph.IndexIDs(ctx, u)
		if err != nil {
			return 0, err
		}
		if i == schema.FirstIndex {
			for _, other := range indexes[min(1, len(indexes)):] {
				index, err := x.graph.ReadMeta(ctx, u, other)
				if err != nil && !schema.OnlyDamaged(err) {
					return 0, err
				}
				if err == nil && index != nil && index.Backfilled {
					return x.keep(ctx, u, ids)
				}
			}
		}
		return x.copyPosts(ctx, u, schema.FirstIndex, nil, ids, plan.Next(indexes))
	})
	if err != nil && i != schema.FirstIndex && schema.OnlyDamaged(err) {
		return x.graph.SkipDamaged(ctx, err) // its own job, or the posts' events, mend that
	}
	return err
}

// keepByJobs enqueues jobs for posts to an audience with these index documents; none without.
func (x *Delivery) keepByJobs(ctx context.Context, audience string, ids, indexes []string) error {
	if len(indexes) == 0 {
		return nil
	}
	for _, p := range ids {
		if err := x.enqueuePost(ctx, p, audience, "keep "+strconv.FormatInt(time.Now().UnixNano(), 10), indexes, nil); err != nil {
			return err
		}
	}
	return nil
}

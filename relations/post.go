package relations

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/runtime/batch"
)

// Post makes the relations of post p match the post as it is now. It creates missing
// relations (fanout) and updates copied fields (refresh). It deletes the relations of a
// post that is gone, or that has another author now (retract). When Post returns nil, all
// of that is durable, in documents or in a job.
//
// Post deletes the relations of a post without an author, and returns ErrBadDocument. It
// skips damaged index documents, which their jobs mend, and relations that Firestore
// rejects; then it returns ErrDamaged.
//
// If nothing has changed, or for a second call, Post writes nothing. Concurrent calls for
// the same post are safe.
//
// A new post of an author with k ≤ InlineLimit index documents costs k writes and at most
// 2k + 4 reads. An edit of a copied field or a delete costs the same or less. Beyond
// InlineLimit, the costs of the job come on top.
func (x *Index) Post(ctx context.Context, p string) error {
	if err := CheckID(p); err != nil {
		return badDocument(x.opts.Collections.Posts+"/"+p, "%v", err)
	}
	var bad error
	err := untilSettled(ctx, func() (int, error) {
		post, generation, err := x.currentPost(ctx, p)
		if bad = err; err != nil && !errors.Is(err, ErrBadDocument) {
			return 0, err
		}
		var indexes []string
		var author string
		if post != nil {
			author = post.author
			if indexes, err = x.indexIDs(ctx, post.author); err != nil {
				return 0, err
			}
		}
		relations, page, err := x.readRelations(ctx, p, x.relationsOfPost(p), x.opts.InlineLimit+1)
		if err != nil {
			return 0, err
		}
		plan := planPost(post, indexes, relations)
		if page.More || plan.size() > x.opts.InlineLimit {
			return 0, x.enqueuePost(ctx, p, author, generation, indexes, relations)
		}
		return x.applyPost(ctx, p, post, plan)
	})
	if err != nil {
		return x.mendSoon(ctx, fmt.Errorf("relations of %s: %w", x.post(p).Path, err))
	}
	return bad
}

// currentPost returns post p as it is now (nil: gone or bad), and the generation that a
// job for it must cover.
func (x *Index) currentPost(ctx context.Context, p string) (*postState, string, error) {
	snaps, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.post(p)})
	if err != nil {
		return nil, "", err
	}
	snap := snaps[0]
	if !snap.Exists() {
		// Two deletions of a post must not look the same to a job that is done.
		return nil, "gone " + strconv.FormatInt(snap.ReadTime.UnixNano(), 10), nil
	}
	generation := snap.UpdateTime.Format(time.RFC3339Nano)
	state, err := x.readPost(snap)
	if err != nil {
		return nil, generation, err
	}
	return &state, generation, nil
}

// relationsOfPost returns a query that finds the relations of post p by name. It needs no
// index, and works for post ids too long for a filter. Only an earlier release named
// other posts' relations so that they sort between these; readRelations skips them.
func (x *Index) relationsOfPost(p string) firestore.Query {
	return x.relations().OrderBy(firestore.DocumentID, firestore.Asc).Select(x.metaOfRelation()...).
		StartAt(x.relation(p, "0")).
		EndAt(x.relation(p, ":")) // ":" follows "9"
}

// metaOfRelation returns the fields that are read of a relation: all but the followers
// and the version.
func (x *Index) metaOfRelation() []string {
	return append([]string{fieldPostID, fieldUserID, fieldIndexID, fieldSizeBytes, fieldCreatedAt}, x.opts.CopiedFields...)
}

// readRelations returns the relations of post p that q finds, without their followers,
// and the page of documents that it read.
func (x *Index) readRelations(ctx context.Context, p string, q firestore.Query, limit int) ([]relationMeta, chunker.Page, error) {
	docs, err := q.Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return nil, chunker.Page{}, err
	}
	var metas []relationMeta
	for _, doc := range docs {
		data := fieldsOf(doc, x.metaOfRelation()...)
		if data[fieldPostID] != p {
			continue
		}
		meta := relationMeta{ref: doc.Ref, updated: doc.UpdateTime}
		meta.userID, _ = data[fieldUserID].(string)
		meta.indexID, _ = data[fieldIndexID].(string)
		meta.size = intOf(data[fieldSizeBytes])
		for _, own := range []string{fieldPostID, fieldUserID, fieldIndexID, fieldSizeBytes} {
			delete(data, own)
		}
		meta.fields = data
		metas = append(metas, meta)
	}
	return metas, bulk.PageOf(docs, limit), nil
}

// applyPost carries out a plan, and counts the stale transactions. A nil post is gone or
// bad. Neither a failure nor a damaged index document stops the rest of the plan.
func (x *Index) applyPost(ctx context.Context, p string, post *postState, plan postPlan) (stale int, err error) {
	var create, refresh, drop int
	var failed [3]error
	if post != nil {
		parts := packed(plan.create, func(i string) int { return createBytes(x.opts, relationID(p, i), post.fields) })
		bytes := func(part []string) int { return len(part) * x.opts.fullBytes() }
		create, failed[0] = eachHolding(ctx, x, parts, bytes, func(ctx context.Context, share *batch.Share, part []string) error {
			return halved(part,
				func(part []string) error { return x.copyRelations(ctx, share, post.author, []string{p}, part) },
				func(i string, refused error) error { return x.copyBare(ctx, share, post.author, p, i, refused) })
		})
		old := packed(plan.refresh, func(r relationMeta) int { return refreshBytes(x.opts, r, post.fields) })
		refresh, failed[1] = eachHolding(ctx, x, old, nil, func(ctx context.Context, share *batch.Share, part []relationMeta) error {
			return halved(part,
				func(part []relationMeta) error { return x.refresh(ctx, p, part) },
				func(r relationMeta, refused error) error {
					if relationID(p, r.indexID) != r.ref.ID {
						return refusedAlone(r.ref, refused) // its name is wrong: verify reports it
					}
					return x.copyBare(ctx, share, post.author, p, r.indexID, refused)
				})
		})
	}
	drop, failed[2] = each(ctx, x, packed(plan.drop, func(r relationMeta) int { return bytesIn(x.opts, r) }), func(ctx context.Context, part []relationMeta) error {
		return halved(part,
			func(part []relationMeta) error { return x.retract(ctx, p, part) },
			func(r relationMeta, refused error) error { return refusedAlone(r.ref, refused) })
	})
	return create + refresh + drop, errors.Join(failed[:]...)
}

// refresh copies the current fields of post p to its relations. The transaction reads p:
// of two edits at once, the transaction that commits last has read the newer post.
// refresh is stale if p or a relation is gone, or if their authors differ.
//
// A crash before the commit leaves old fields; the event is redelivered.
func (x *Index) refresh(ctx context.Context, p string, relations []relationMeta) error {
	return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		snap, err := getMaybe(tx, x.post(p))
		if err != nil {
			return err
		}
		if !snap.Exists() {
			return errStale
		}
		post, err := x.readPost(snap)
		if err != nil {
			return errStale
		}
		for _, r := range relations {
			if post.author != r.userID {
				return errStale
			}
			var updates []firestore.Update
			for name := range r.fields {
				if _, ok := post.fields[name]; !ok {
					updates = append(updates, firestore.Update{FieldPath: firestore.FieldPath{name}, Value: firestore.Delete})
				}
			}
			for name, v := range post.fields {
				updates = append(updates, firestore.Update{FieldPath: firestore.FieldPath{name}, Value: v})
			}
			if err := tx.Update(r.ref, updates); err != nil {
				return err
			}
		}
		return nil
	})
}

// retract deletes relations of post p. It requires that p is still gone, or has another
// author than the relations, and that these are as they were read. Otherwise it is stale.
//
// A crash before the commit leaves relations that should be gone; the event is
// redelivered.
func (x *Index) retract(ctx context.Context, p string, relations []relationMeta) error {
	return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		snap, err := getMaybe(tx, x.post(p))
		if err != nil {
			return err
		}
		author := ""
		if snap.Exists() {
			if post, err := x.readPost(snap); err == nil {
				author = post.author
			}
		}
		for _, r := range relations {
			if author == r.userID {
				return errStale
			}
			if err := tx.Delete(r.ref, firestore.LastUpdateTime(r.updated)); err != nil {
				return err
			}
		}
		return nil
	})
}

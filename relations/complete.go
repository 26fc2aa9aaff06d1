package relations

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// Keeps reports whether a post is kept, or must be: the horizon has not passed it. It costs
// one or two reads. In a transaction, the marker is as it says at the
// commit: see [kept.Posts.ClearEvictedNow].
func (x *Delivery) Keeps(ctx context.Context, tx *firestore.Transaction, post posts.Post) (bool, error) {
	horizon, err := x.horizon(ctx)
	if err != nil {
		return false, err
	}
	_, err = x.kept.ClearEvictedNow(ctx, tx, &post, horizon)
	return post.Audience != "", err
}

// Fill writes the missing relations of the newest posts to an audience, as many as horizon;
// 0: of all its posts. It returns how many of them were not kept. It enqueues no jobs.
//
// It costs one or two reads for each post, one for each of its relations, and what
// BackfillPosts costs. A crash leaves relations missing. You may call it again.
func (x *Delivery) Fill(ctx context.Context, audience string, horizon int) (filled int, err error) {
	if horizon == 0 {
		filled, err = x.fillAll(ctx, audience)
	} else {
		// Until a round finds none missing: a post that is deleted meanwhile leaves its
		// place to another.
		err = work.UntilSettled(ctx, func() (int, error) {
			newest, err := posts.NewestOfAll(ctx, x.db, audience, posts.Window{More: horizon})
			if err != nil || len(newest) == 0 {
				return 0, err
			}
			n, missing, err := x.complete(ctx, audience, posts.IDs(newest))
			filled += n
			return missing, err
		})
	}
	if err != nil {
		err = fmt.Errorf("relations of posts to %s: %w", x.db.User(audience).Path, err)
	}
	return filled, err
}

func (x *Delivery) fillAll(ctx context.Context, audience string) (filled int, err error) {
	for q := posts.For(x.db, audience).Limit(x.db.Options.InlineLimit); ; {
		docs, err := q.Documents(ctx).GetAll()
		if err != nil || len(docs) == 0 {
			return filled, err
		}
		n, _, err := x.complete(ctx, audience, posts.IDsFor(audience, docs))
		if filled += n; err != nil {
			return filled, err
		}
		q = q.StartAfter(docs[len(docs)-1])
	}
}

// complete writes the missing relations of posts to an audience, and counts them. filled is
// how many of the posts were not kept.
func (x *Delivery) complete(ctx context.Context, audience string, ids []string) (filled, missing int, err error) {
	indexes, err := x.graph.IndexIDs(ctx, audience)
	if err != nil || len(ids) == 0 {
		return 0, 0, err
	}
	for n := 0; n < len(indexes); n++ { // the marker first: copies to other index documents read it
		i := indexes[n]
		without, err := x.kept.Without(ctx, nil, audience, i, ids)
		if err != nil || len(without) == 0 {
			if err != nil {
				return filled, missing, err
			}
			continue
		}
		if err := x.BackfillPosts(ctx, audience, i, without); err != nil {
			return filled, missing, fmt.Errorf("%s: %w", x.db.IndexDocuments(audience).Doc(i).Path, err)
		}
		if missing += len(without); i == schema.FirstIndex {
			filled = len(without)
			if indexes, err = x.graph.IndexIDs(ctx, audience); err != nil { // one may have been opened before
				return filled, missing, err
			}
		}
	}
	return filled, missing, nil
}

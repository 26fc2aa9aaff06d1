package relations

import (
	"context"
	"path"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/posts"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// With a horizon H, an audience keeps relations for its newest posts only. A post is kept if
// its marker exists: its relation to the audience's first index document. It always holds,
// not only at rest:
//
//	For each post to an audience that is not kept, at least H kept posts have the same
//	createdAt or a later one.
//
// So a reader has H relations of an audience before one is missing, and Feed can tell by a
// count where it must read the posts themselves. More posts than H may be kept.
//
//   - A fanout, a fill and a backfill add kept posts. Index documents may be backfilled in any
//     order: each time, the newest posts are kept first.
//   - An eviction removes the oldest, in a transaction that counts the others: see evict.go.
//   - A post that is deleted, hidden, moved or older now is replaced before: see fill.go.
//   - A copy to another index document reads the marker: see copyOnce. So no other relation
//     is without one, but those that a job is about to delete.
//   - A transaction that writes a marker reads that no other index document was opened. So
//     the backfill of one finds the marker, or the marker's writer writes the relation.

// kept returns a query for the markers of an audience, the oldest post first.
func (x *Delivery) kept(audience string) firestore.Query {
	return x.db.Relations().
		Where(schema.FieldAudience, "==", audience).
		Where(schema.FieldIndexID, "==", schema.FirstIndex).
		OrderBy(schema.FieldCreatedAt, firestore.Asc)
}

// marker returns the marker of post p.
func (x *Delivery) marker(p string) *firestore.DocumentRef {
	return x.db.Relation(p, schema.FirstIndex)
}

// withoutArrays returns a context in which relations are read by name without their
// followers.
func withoutArrays(ctx context.Context) context.Context {
	relation := func(document string) bool { return path.Base(path.Dir(document)) == names.Relations }
	return wire.WithMask(ctx, relation, schema.FieldAudience, schema.FieldCreatedAt)
}

// notKept returns those of posts that are not kept by an audience, at the cost of a read
// for each. In a transaction, that is true at the commit.
func (x *Delivery) notKept(ctx context.Context, tx *firestore.Transaction, audience string, ids []string) (missing []string, err error) {
	return x.without(ctx, tx, audience, schema.FirstIndex, ids)
}

// without returns those of posts to an audience that have no relation to its index document
// i, as notKept does.
func (x *Delivery) without(ctx context.Context, tx *firestore.Transaction, audience, i string, ids []string) (missing []string, err error) {
	refs := make([]*firestore.DocumentRef, len(ids))
	for n, p := range ids {
		refs[n] = x.db.Relation(p, i)
	}
	var markers []*firestore.DocumentSnapshot
	if tx != nil {
		markers, err = tx.GetAll(refs)
	} else {
		markers, err = store.ReadAll(withoutArrays(ctx), x.db.Client, refs)
	}
	if err != nil {
		return nil, err
	}
	for n, p := range ids {
		if marker := markers[n]; !marker.Exists() || schema.FieldsOf(marker, schema.FieldAudience)[schema.FieldAudience] != audience {
			missing = append(missing, p)
		}
	}
	return missing, nil
}

// enoughSince reports whether n kept posts have the time from or a later one. It costs a
// read.
func (x *Delivery) enoughSince(ctx context.Context, tx *firestore.Transaction, audience string, from time.Time, n int) (bool, error) {
	found, err := bulk.CountIn(ctx, tx, x.kept(audience).Where(schema.FieldCreatedAt, ">=", from).Limit(n))
	return found >= int64(n), err
}

// clearEvicted clears the audience of a post that the horizon has passed. It decides by
// what was read of the post: all its relations. A post that was never edited and has none is
// new, and costs no read. If the event of a new post is so late that the post was evicted
// since, the post is kept again, until the next eviction.
func (x *Delivery) clearEvicted(ctx context.Context, post *posts.Post, relations []plan.Relation, horizon int) error {
	if horizon == 0 || post.Audience == "" || post.Fresh() && len(relations) == 0 {
		return nil
	}
	for _, r := range relations {
		if r.IsMarker() && r.IsOf(*post) {
			return nil
		}
	}
	return x.clearBeyond(ctx, nil, post, horizon)
}

// clearEvictedNow is clearEvicted by the marker, at the cost of one or two reads. unmarked
// says that a post which is not cleared has no marker. In a transaction, its answer is true
// at the commit.
func (x *Delivery) clearEvictedNow(ctx context.Context, tx *firestore.Transaction, post *posts.Post, horizon int) (unmarked bool, err error) {
	if horizon == 0 || post.Audience == "" {
		return false, nil
	}
	missing, err := x.notKept(ctx, tx, post.Audience, []string{post.ID})
	if err != nil || len(missing) == 0 {
		return false, err
	}
	err = x.clearBeyond(ctx, tx, post, horizon)
	return post.Audience != "", err
}

// clearBeyond clears the audience of a post that is not kept, and must stay so: enough kept
// posts are as new.
func (x *Delivery) clearBeyond(ctx context.Context, tx *firestore.Transaction, post *posts.Post, horizon int) error {
	enough, err := x.enoughSince(ctx, tx, post.Audience, post.CreatedAt(), horizon)
	if err == nil && enough {
		post.Audience = ""
	}
	return err
}

// keptOf returns those of posts to an audience that are kept, at the commit; or those that
// are not. It costs a read for each. A post that is not kept yet gets its relations from
// whoever makes it kept.
func (x *Delivery) keptOf(ctx context.Context, tx *firestore.Transaction, audience string, states []posts.Post, kept bool) ([]posts.Post, error) {
	if len(states) == 0 {
		return nil, nil
	}
	missing, err := x.notKept(ctx, tx, audience, posts.IDs(states))
	return slices.DeleteFunc(states, func(p posts.Post) bool { return slices.Contains(missing, p.ID) == kept }), err
}

// keptPosts returns the posts that are kept, and the newest ones that must be, and are not
// yet. more says that those kept are not all: they are too many for one event, because a
// horizon was just lowered.
func (x *Delivery) keptPosts(ctx context.Context, audience string, horizon int) (kept, missing []string, more bool, err error) {
	newest, err := posts.Newest(ctx, nil, x.db, audience, horizon)
	if err != nil {
		return nil, nil, false, err
	}
	most := x.db.Options.InlineLimit
	markers, err := x.kept(audience).Limit(most + 1).Select(schema.FieldPostID).Documents(ctx).GetAll()
	if err != nil {
		return nil, nil, false, err
	}
	for _, doc := range markers {
		if p, _ := schema.FieldsOf(doc, schema.FieldPostID)[schema.FieldPostID].(string); p != "" {
			kept = append(kept, p)
		}
	}
	if more = len(markers) > most; more {
		missing, err = x.notKept(ctx, nil, audience, posts.IDs(newest))
	} else {
		missing = slices.DeleteFunc(posts.IDs(newest), func(p string) bool { return slices.Contains(kept, p) })
	}
	return kept, missing, more, err
}

// Package kept knows which posts of an audience have relations, where there is a horizon.
//
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
// Package relations changes which posts are kept:
//
//   - A fanout, a fill and a backfill add kept posts. Index documents may be backfilled in any
//     order: each time, the newest posts are kept first.
//   - An eviction removes the oldest, if enough others are newer, and none of these is
//     removed before its commit: see evict.go.
//   - A post that is deleted, hidden, moved or older now is replaced before: see fill.go.
//   - A copy to another index document reads the marker: see copyOnce. So no other relation
//     is without one, but those that a job is about to delete.
//   - A transaction that writes a marker reads that no other index document was opened. So
//     the backfill of one finds the marker, or the marker's writer writes the relation.
package kept

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

// Posts are the kept posts of a database.
type Posts struct{ db *schema.Database }

// New returns the kept posts of a database. It sends no requests.
func New(db *schema.Database) Posts { return Posts{db} }

// Markers returns a query for the markers of an audience, the oldest post first.
func (x Posts) Markers(audience string) firestore.Query {
	return x.db.Relations().
		Where(schema.FieldAudience, "==", audience).
		Where(schema.FieldIndexID, "==", schema.FirstIndex).
		OrderBy(schema.FieldCreatedAt, firestore.Asc)
}

// Marker returns the marker of post p.
func (x Posts) Marker(p string) *firestore.DocumentRef {
	return x.db.Relation(p, schema.FirstIndex)
}

// TellRemoval writes the removal document of an audience, in the transaction that removes.
func (x Posts) TellRemoval(tx *firestore.Transaction, audience string) error {
	return tx.Set(x.db.Removal(audience), map[string]any{
		schema.FieldAudience: audience, schema.FieldIndexID: schema.RemovalIndex, "removedAt": firestore.ServerTimestamp,
	})
}

// WithoutArrays returns a context in which relations are read by name without their
// followers.
func WithoutArrays(ctx context.Context) context.Context {
	relation := func(document string) bool { return path.Base(path.Dir(document)) == names.Relations }
	return wire.WithMask(ctx, relation, schema.FieldAudience, schema.FieldCreatedAt)
}

// Missing returns those of posts that are not kept by an audience, at the cost of a read
// for each. In a transaction, that is true at the commit.
func (x Posts) Missing(ctx context.Context, tx *firestore.Transaction, audience string, ids []string) (missing []string, err error) {
	return x.Without(ctx, tx, audience, schema.FirstIndex, ids)
}

// Without returns those of posts to an audience that have no relation to its index document
// i, as notKept does.
func (x Posts) Without(ctx context.Context, tx *firestore.Transaction, audience, i string, ids []string) (missing []string, err error) {
	refs := make([]*firestore.DocumentRef, len(ids))
	for n, p := range ids {
		refs[n] = x.db.Relation(p, i)
	}
	var markers []*firestore.DocumentSnapshot
	if tx != nil {
		markers, err = tx.GetAll(refs)
	} else {
		markers, err = store.ReadAll(WithoutArrays(ctx), x.db.Client, refs)
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

// Enough reports whether n kept posts are since a time (">=") or after it (">").
// It costs a read.
func (x Posts) Enough(ctx context.Context, audience, op string, at time.Time, n int) (bool, error) {
	found, err := bulk.Count(ctx, x.Markers(audience).Where(schema.FieldCreatedAt, op, at).Limit(n))
	return found >= int64(n), err
}

// ClearEvicted clears the audience of a post that the horizon has passed. It decides by
// what was read of the post: all its relations. A post that was never edited and has none is
// new, and costs no read. If the event of a new post is so late that the post was evicted
// since, the post is kept again, until the next eviction.
func (x Posts) ClearEvicted(ctx context.Context, post *posts.Post, relations []plan.Relation, horizon int) error {
	if horizon == 0 || post.Audience == "" || post.Fresh() && len(relations) == 0 {
		return nil
	}
	for _, r := range relations {
		if r.IsMarker() && r.IsOf(*post) {
			return nil
		}
	}
	return x.clearBeyond(ctx, post, horizon)
}

// ClearEvictedNow is ClearEvicted by the marker, at the cost of one or two reads. unmarked
// says that a post which is not cleared has no marker. In a transaction, the marker is there,
// or not, at the commit. The others are counted without a lock: whoever makes them too few
// keeps the post, and so waits for the transaction.
func (x Posts) ClearEvictedNow(ctx context.Context, tx *firestore.Transaction, post *posts.Post, horizon int) (unmarked bool, err error) {
	if horizon == 0 || post.Audience == "" {
		return false, nil
	}
	missing, err := x.Missing(ctx, tx, post.Audience, []string{post.ID})
	if err != nil || len(missing) == 0 {
		return false, err
	}
	err = x.clearBeyond(ctx, post, horizon)
	return post.Audience != "", err
}

// clearBeyond clears the audience of a post that is not kept, and need not be: enough kept
// posts are as new. Whoever removes one of them then keeps the post.
func (x Posts) clearBeyond(ctx context.Context, post *posts.Post, horizon int) error {
	enough, err := x.Enough(ctx, post.Audience, ">=", post.CreatedAt(), horizon)
	if err == nil && enough {
		post.Audience = ""
	}
	return err
}

// Of returns those of posts to an audience that are kept, at the commit. It costs a read
// for each. A post that is not kept yet gets its relations from whoever makes it kept.
func (x Posts) Of(ctx context.Context, tx *firestore.Transaction, audience string, states []posts.Post) ([]posts.Post, error) {
	if len(states) == 0 {
		return nil, nil
	}
	missing, err := x.Missing(ctx, tx, audience, posts.IDs(states))
	return slices.DeleteFunc(states, func(p posts.Post) bool { return slices.Contains(missing, p.ID) }), err
}

// MissingOf returns those of posts that are not kept at the commit, and must be: see
// ClearEvictedNow.
func (x Posts) MissingOf(ctx context.Context, tx *firestore.Transaction, states []posts.Post, horizon int) (missing []posts.Post, err error) {
	for _, post := range states {
		unmarked, err := x.ClearEvictedNow(ctx, tx, &post, horizon)
		if err != nil {
			return nil, err
		}
		if unmarked {
			missing = append(missing, post)
		}
	}
	return missing, nil
}

// List returns the posts that are kept, and the newest ones that must be, and are not
// yet. more says that those kept are not all: they are too many for one event, because a
// horizon was just lowered.
func (x Posts) List(ctx context.Context, audience string, horizon int) (kept, missing []string, more bool, err error) {
	newest, err := posts.Newest(ctx, nil, x.db, audience, posts.Window{More: horizon})
	if err != nil {
		return nil, nil, false, err
	}
	most := x.db.Options.InlineLimit
	markers, err := x.Markers(audience).Limit(most + 1).Select(schema.FieldPostID).Documents(ctx).GetAll()
	if err != nil {
		return nil, nil, false, err
	}
	for _, doc := range markers {
		if p, _ := schema.FieldsOf(doc, schema.FieldPostID)[schema.FieldPostID].(string); p != "" {
			kept = append(kept, p)
		}
	}
	if more = len(markers) > most; more {
		missing, err = x.Missing(ctx, nil, audience, posts.IDs(newest))
	} else {
		missing = slices.DeleteFunc(posts.IDs(newest), func(p string) bool { return slices.Contains(kept, p) })
	}
	return kept, missing, more, err
}

package repair

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/followers"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// copyOver replaces relations of index document i with whole copies of the posts and the
// index document as they are now. i may be [schema.DirectIndex].
//
// A crash leaves the other relations as they were: verify reports them again.
func (x *Repairer) copyOver(ctx context.Context, u, i string, posts []string) error {
	if i == schema.DirectIndex {
		_, err := work.Each(ctx, x.graph.Pool, posts, x.relations.CopyDirect)
		return err
	}
	return x.relations.BackfillPosts(ctx, u, i, posts)
}

// dropStray deletes the relation of this name, unless the relation has become right: the post in its name exists, and
// has this index document in its audience, or has recipients. The transaction reads all three, so that a concurrent
// fanout comes before it or after it.
//
// A crash before the commit leaves the relation: verify reports it again.
func (x *Repairer) dropStray(ctx context.Context, name string) error {
	ref := x.db.Relations().Doc(name)
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		stray, err := store.GetMaybe(tx, ref)
		if err != nil || !stray.Exists() {
			return err
		}
		p, a, i := schema.TextOf(stray, schema.FieldPostID), schema.TextOf(stray, schema.FieldAudience), schema.TextOf(stray, schema.FieldIndexID)
		_, ok := schema.IndexNumber(i)
		direct := i == schema.DirectIndex && a == ""
		if !direct && (!ok || schema.CheckAccountID(a) != nil) || schema.CheckPostID(p) != nil || schema.RelationID(p, i) != name {
			return tx.Delete(ref)
		}
		refs := []*firestore.DocumentRef{x.db.Post(p)}
		if !direct {
			refs = append(refs, x.db.IndexDocuments(a).Doc(i))
		}
		snaps, err := tx.GetAll(refs)
		if err != nil {
			return err
		}
		if post, err := posts.Decode(x.db.Config, snaps[0]); snaps[0].Exists() && err == nil {
			if direct && len(post.Recipients) > 0 {
				return nil
			}
			if !direct && post.Audience == a && snaps[1].Exists() {
				return nil
			}
		}
		return tx.Delete(ref)
	}, followers.RepairAttempts)
}

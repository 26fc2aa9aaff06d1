package repair

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/followers"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema"
)

// copyOver replaces relations of index document i with whole copies of the posts and the
// index document as they are now.
//
// A crash leaves the other relations as they were: verify reports them again.
func (x *Repairer) copyOver(ctx context.Context, u, i string, posts []string) error {
	return x.relations.BackfillPosts(ctx, u, i, nil, posts)
}

// dropStray deletes the relation of this name, unless it is by now what its name says:
// the relation of a post, and of an index document of the post's author. The transaction
// reads all three, so that a concurrent fanout comes before it or after it.
//
// A crash before the commit leaves the relation: verify reports it again.
func (x *Repairer) dropStray(ctx context.Context, name string) error {
	ref := x.db.Relations().Doc(name)
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		stray, err := store.GetMaybe(tx, ref)
		if err != nil || !stray.Exists() {
			return err
		}
		p, u, i := schema.TextOf(stray, schema.FieldPostID), schema.TextOf(stray, schema.FieldUserID), schema.TextOf(stray, schema.FieldIndexID)
		if _, ok := schema.IndexNumber(i); !ok || schema.CheckID(p) != nil || schema.CheckAuthorID(u) != nil || schema.RelationID(p, i) != name {
			return tx.Delete(ref)
		}
		snaps, err := tx.GetAll([]*firestore.DocumentRef{x.db.Post(p), x.db.IndexDocuments(u).Doc(i)})
		if err != nil {
			return err
		}
		if snaps[0].Exists() && snaps[1].Exists() {
			if post, err := x.relations.ReadPost(snaps[0]); err == nil && post.Author == u {
				return nil
			}
		}
		return tx.Delete(ref)
	}, followers.RepairAttempts)
}

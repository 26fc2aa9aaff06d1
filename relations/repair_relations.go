package relations

import (
	"context"

	"cloud.google.com/go/firestore"
)

// copyOver replaces relations of index document i with whole copies of the posts and the
// index document as they are now.
//
// A crash leaves the other relations as they were: verify reports them again.
func (x *Index) copyOver(ctx context.Context, u, i string, posts []string) error {
	return x.backfillPosts(ctx, u, i, nil, posts)
}

// dropStray deletes the relation of this name, unless it is by now what its name says:
// the relation of a post, and of an index document of the post's author. The transaction
// reads all three, so that a concurrent fanout comes before it or after it.
//
// A crash before the commit leaves the relation: verify reports it again.
func (x *Index) dropStray(ctx context.Context, name string) error {
	ref := x.relations().Doc(name)
	return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		stray, err := getMaybe(tx, ref)
		if err != nil || !stray.Exists() {
			return err
		}
		p, u, i := textOf(stray, fieldPostID), textOf(stray, fieldUserID), textOf(stray, fieldIndexID)
		if _, ok := indexNumber(i); !ok || CheckID(p) != nil || checkAuthorID(u) != nil || relationID(p, i) != name {
			return tx.Delete(ref)
		}
		snaps, err := tx.GetAll([]*firestore.DocumentRef{x.post(p), x.indexDocuments(u).Doc(i)})
		if err != nil {
			return err
		}
		if snaps[0].Exists() && snaps[1].Exists() {
			if post, err := x.readPost(snaps[0]); err == nil && post.author == u {
				return nil
			}
		}
		return tx.Delete(ref)
	}, repairAttempts)
}

package relations

import (
	"context"

	"cloud.google.com/go/firestore"
)

// copyOver makes relations of index document i whole copies of what posts and
// it are now: whatever stood in their place is gone.
//
// A crash leaves the rest as it was: verify names it again.
func (x *Index) copyOver(ctx context.Context, u, i string, posts []string) error {
	return x.backfillPosts(ctx, u, i, nil, posts)
}

// dropStray deletes the document of that name in the relations' collection,
// unless it is what its name says by now: the relation of a post, and of an
// index document of the post's author. All three are read in the transaction,
// so that a fan-out at the same time comes before it or after it.
//
// A crash before the commit leaves a relation too many: verify names it again.
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

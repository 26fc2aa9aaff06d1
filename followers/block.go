package followers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Block ends the follows of u by f, and of f by u, that existed when u blocked f. u blocks f by creating
// users/u/blocked/f; at is the time of that creation. While the block document exists,
// Block ends any follow. With the zero time, it does nothing without a block document.
//
// Block deletes the follower documents. The event of each deletion does the rest, as for
// any unfollow. Rules reject a new follow of either by the other while the block exists. One that a server writes
// stays until the next call. A group follows nobody, so it ends one follow at most.
//
// A repeated call finds no follow. If a late call finds that u has removed the block,
// it still ends the older follows, and keeps those written since. It costs three reads,
// and a delete for each follow. f need not have an account.
func (x *Graph) Block(ctx context.Context, u, f string, at time.Time) error {
	if err := schema.CheckFollow(u, f); err != nil {
		return schema.BadDocument(x.db.Config.Collections().Users+"/"+u+"/"+names.Blocked+"/"+f, "%w; the document is ignored", err)
	}
	err := x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		// All documents are locked: before this commits, u cannot remove the block, and nobody follows again.
		snaps, err := tx.GetAll([]*firestore.DocumentRef{x.db.Block(u, f), x.db.Follower(u, f), x.db.Follower(f, u)})
		if err != nil {
			return err
		}
		for _, follow := range snaps[1:] {
			if follow.Exists() && (snaps[0].Exists() || follow.UpdateTime.Before(at)) {
				// A crash right after the commit leaves the event of the deletion, as for any unfollow.
				err = errors.Join(err, tx.Delete(follow.Ref))
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("block %s: %w", x.db.Block(u, f).Path, err)
	}
	return nil
}

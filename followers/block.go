package followers

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Block ends the follow of u by f that existed when u blocked f. u blocks f by creating
// users/u/blocked/f; at is the time of that creation. While the block document exists,
// Block ends any follow. With the zero time, it does nothing without a block document.
//
// Block deletes the follower document. The event of that deletion does the rest, as for
// any unfollow. Rules reject a new follow while the block exists.
//
// A repeated call finds no follow. If a late call finds that u has removed the block,
// it still ends the older follow, and keeps a follow written since. It costs two reads,
// and a delete if there is a follow. f need not have an account.
func (x *Graph) Block(ctx context.Context, u, f string, at time.Time) error {
	if err := schema.CheckFollow(u, f); err != nil {
		return schema.BadDocument(x.db.Config.Collections().Users+"/"+u+"/"+names.Blocked+"/"+f, "%w; the document is ignored", err)
	}
	err := x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		// Both documents are locked: before this commits, u cannot remove the block, and f cannot follow again.
		snaps, err := tx.GetAll([]*firestore.DocumentRef{x.db.Block(u, f), x.db.Follower(u, f)})
		if err != nil {
			return err
		}
		block, follow := snaps[0], snaps[1]
		if !follow.Exists() || !block.Exists() && !follow.UpdateTime.Before(at) {
			return nil
		}
		// A crash right after this leaves the event of the deletion, as for any unfollow.
		return tx.Delete(follow.Ref)
	})
	if err != nil {
		return fmt.Errorf("block %s: %w", x.db.Block(u, f).Path, err)
	}
	return nil
}

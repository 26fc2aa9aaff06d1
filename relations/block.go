package relations

import (
	"context"
	"fmt"
	"iter"
	"time"

	"cloud.google.com/go/firestore"
)

// Block ends the follow of u by f that was there when u blocked f, which is the
// creation of users/u/blocked/f at the time at, and any follow while that
// document is there; for the zero time, only that. It deletes the follower document,
// whose event does the rest, as for any unfollow. Rules refuse a new follow for
// as long as the block stays.
//
// Twice: the second finds no follow. Late: if u has taken the block back by
// then, the follow of before ends all the same, and one written since stays. It
// costs two reads, and a delete where there is a follow. f does not have to exist.
func (x *Index) Block(ctx context.Context, u, f string, at time.Time) error {
	if err := checkFollow(u, f); err != nil {
		return badDocument(x.opts.Collections.Users+"/"+u+"/"+Blocked+"/"+f, "%v; the document is ignored", err)
	}
	err := x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		// Both are locked: the block cannot be taken back, and the same person follow again, before this commits.
		snaps, err := tx.GetAll([]*firestore.DocumentRef{x.block(u, f), x.follower(u, f)})
		if err != nil {
			return err
		}
		block, follow := snaps[0], snaps[1]
		if !follow.Exists() || !block.Exists() && !follow.UpdateTime.Before(at) {
			return nil
		}
		// A crash right after it leaves what any unfollow does: an event.
		return tx.Delete(follow.Ref)
	})
	if err != nil {
		return fmt.Errorf("block %s: %w", x.block(u, f).Path, err)
	}
	return nil
}

// checkBlocks is invariant 5. It reads each block, and the follow that must not be there.
func (v *verifier) checkBlocks(ctx context.Context) error {
	blocks := v.client.CollectionGroup(Blocked).Query
	if v.only != "" {
		blocks = v.user(v.only).Collection(Blocked).Query
	}
	author := v.below(Blocked)
	return grouped(ctx, blocks.OrderBy(firestore.DocumentID, firestore.Asc).Select(), followersInPart, func(doc *firestore.DocumentSnapshot) (string, string, bool) {
		u, ours := author(doc)
		return u, doc.Ref.ID, ours
	}, func(ctx context.Context, u string, blocked iter.Seq2[[]string, error]) error {
		for part, err := range blocked {
			if err != nil {
				return err
			}
			v.seen(&v.count.Blocks, len(part))
			refs := make([]*firestore.DocumentRef, len(part))
			for n, f := range part {
				refs[n] = v.follower(u, f)
			}
			snaps, err := v.readAll(ctx, refs)
			if err != nil {
				return err
			}
			for n, snap := range snaps {
				if snap.Exists() && checkFollow(u, part[n]) == nil {
					v.violation(Violation{Invariant: 5, Document: snap.Ref.Path, Author: u, Follower: part[n]}, "follows, although the author blocks them")
				}
			}
		}
		return nil
	})
}

// blocks ends the follows that a block forbids, and leaves them to places as
// those of followers who are no longer.
func (r *authorRepair) blocks(ctx context.Context) error {
	for _, f := range r.damage.blocked {
		if err := r.Block(ctx, r.author, f, time.Time{}); err != nil {
			return err
		}
		r.damage.followers[f] = true
		r.did(1)
	}
	return nil
}

package relations

import (
	"context"
	"fmt"
	"iter"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/names"
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
func (x *Index) Block(ctx context.Context, u, f string, at time.Time) error {
	if err := checkFollow(u, f); err != nil {
		return badDocument(x.opts.Collections.Users+"/"+u+"/"+names.Blocked+"/"+f, "%v; the document is ignored", err)
	}
	err := x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		// Both are locked: before this commits, u cannot remove the block, and f cannot
		// follow again.
		snaps, err := tx.GetAll([]*firestore.DocumentRef{x.block(u, f), x.follower(u, f)})
		if err != nil {
			return err
		}
		block, follow := snaps[0], snaps[1]
		if !follow.Exists() || !block.Exists() && !follow.UpdateTime.Before(at) {
			return nil
		}
		// A crash right after this leaves an event, as any unfollow does.
		return tx.Delete(follow.Ref)
	})
	if err != nil {
		return fmt.Errorf("block %s: %w", x.block(u, f).Path, err)
	}
	return nil
}

// checkBlocks checks invariant 5. It reads each block, and the follow that must not
// exist.
func (v *verifier) checkBlocks(ctx context.Context) error {
	blocks := v.client.CollectionGroup(names.Blocked).Query
	if v.only != "" {
		blocks = v.user(v.only).Collection(names.Blocked).Query
	}
	author := v.below(names.Blocked)
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
			snaps, err := readAll(ctx, v.client, refs)
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

// blocks ends the follows that a block forbids. places then handles these followers
// like others who do not follow.
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

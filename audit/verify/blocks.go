package verify

import (
	"context"
	"iter"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// checkBlocks checks invariant 5. It reads each block, and the follow that must not
// exist.
func (v *check) checkBlocks(ctx context.Context) error {
	blocks := v.db.Client.CollectionGroup(names.Blocked).Query
	if v.only != "" {
		blocks = v.db.User(v.only).Collection(names.Blocked).Query
	}
	author := v.below(names.Blocked)
	return grouped(ctx, blocks.OrderBy(firestore.DocumentID, firestore.Asc).Select(), followersInPart, func(doc *firestore.DocumentSnapshot) (string, string, bool) {
		u, ours := author(doc)
		if ours {
			v.nameStrange(u, doc.Ref)
		}
		return u, doc.Ref.ID, ours
	}, func(ctx context.Context, u string, blocked iter.Seq2[[]string, error]) error {
		for part, err := range blocked {
			if err != nil {
				return err
			}
			v.seen(&v.count.Blocks, len(part))
			refs := make([]*firestore.DocumentRef, len(part))
			for n, f := range part {
				refs[n] = v.db.Follower(u, f)
			}
			snaps, err := store.ReadAll(ctx, v.db.Client, refs)
			if err != nil {
				return err
			}
			for n, snap := range snaps {
				if snap.Exists() && schema.CheckFollow(u, part[n]) == nil {
					v.violation(Violation{Invariant: 5, Document: snap.Ref.Path, Author: u, Follower: part[n]}, "follows, although the author blocks them")
				}
			}
		}
		return nil
	})
}

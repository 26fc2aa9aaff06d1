package verify

import (
	"context"
	"iter"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// checkBlocks checks invariant 5. It reads each block, and the two follows that must not
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
			var refs []*firestore.DocumentRef
			for _, f := range part {
				refs = append(refs, v.db.Follower(u, f), v.db.Follower(f, u))
			}
			snaps, err := store.ReadAll(ctx, v.db.Client, refs)
			if err != nil {
				return err
			}
			for n, snap := range snaps {
				switch f := part[n/2]; {
				case !snap.Exists() || schema.CheckFollow(u, f) != nil:
				case n%2 == 0:
					v.violation(Violation{Invariant: 5, Document: snap.Ref.Path, Author: u, Follower: f}, "follows, although the author blocks them")
				default:
					v.violation(Violation{Invariant: 5, Document: snap.Ref.Path, Author: f, Follower: u}, "follows, although they block the author")
				}
			}
		}
		return nil
	})
}

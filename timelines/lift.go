package timelines

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/work"
	"example.com/relationindex/timelines/layout"
)

// Lift raises at of post p to at microseconds in the timelines of those readers who have it, and
// where it is lower. It costs a read for each reader, and a write for each entry that is lower.
//
// Entries are read without a lock: one that goes meanwhile fails the commit, and Lift tries again.
// Twice, it changes nothing. A crash leaves the others to whoever called it.
func (x *Delivery) Lift(ctx context.Context, p string, at int64, ids []string) error {
	return work.UntilSettled(ctx, func() (int, error) {
		return writing[recipient]{Delivery: x, write: func(ctx context.Context, tx *firestore.Transaction, some []recipient) error {
			refs := make([]*firestore.DocumentRef, len(some))
			for n, r := range some {
				refs[n] = x.db.Timeline(r.id).Doc(p)
			}
			return layout.Lift(ctx, x.db, tx, refs, at)
		}}.each(ctx, x.recipientsOf(ids), x.layout.Held(false))
	})
}

package timelines

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/work"
	"example.com/relationindex/timelines/layout"
)

// Lift raises at of post p to at microseconds in the timelines of the given readers who have the post, if at
// is lower there. It costs a read for each reader, and a write for each lower entry.
//
// Entries are read without a lock. An entry deleted meanwhile fails the commit, and Lift tries again. A second
// call changes nothing. A crash leaves the other readers to the caller's event or job.
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

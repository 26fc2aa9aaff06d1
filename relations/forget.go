package relations

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"
)

// forget empties the change log of u's index document i, which names people who
// have left, once no relation needs it any more: all are at index's version.
// Otherwise the id of an account that is deleted could stay in the logs of
// authors whom it once followed, where nothing would find it.
//
// It costs a write for each sync that followed an unfollow. It leaves the log of
// a document that has another version by now: that change has a sync of its
// own. A crash before the write leaves the log; the event comes again.
func (x *Index) forget(ctx context.Context, u, i string, index IndexDocument) error {
	return untilSettled(ctx, func() (int, error) {
		if !index.mentionsLeavers() {
			return 0, nil
		}
		_, err := x.indexDocuments(u).Doc(i).Update(ctx,
			[]firestore.Update{{Path: fieldChanges, Value: []Change{}}}, firestore.LastUpdateTime(index.updated))
		if !isStale(err) {
			return 0, err
		}
		now, err := x.readMeta(ctx, u, i)
		if err != nil || now == nil || now.Version != index.Version {
			return 0, err
		}
		index = *now // only its backfill has been marked
		return 1, nil
	})
}

func (d IndexDocument) mentionsLeavers() bool {
	return slices.ContainsFunc(d.Changes, func(c Change) bool { return len(c.Remove) > 0 })
}

package relations

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"
)

// forget empties the change log of u's index document i, which names followers who have
// left. Call it when all relations are at index's version, so that none needs the log.
// Otherwise the id of a deleted account could stay in the logs of authors whom it once
// followed, where no query finds it.
//
// It costs a write for each sync after an unfollow. It leaves the log alone if the
// document has another version by now, because that change has its own sync. A crash
// before the write leaves the log. The event is redelivered.
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
		index = *now // only Backfilled has changed
		return 1, nil
	})
}

func (d IndexDocument) mentionsLeavers() bool {
	return slices.ContainsFunc(d.Changes, func(c Change) bool { return len(c.Remove) > 0 })
}

package accounts

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// deliveredTo returns a query of each delivery of the app's own for the documents that go with account u.
func (x *Lifecycle) deliveredTo(u string) (all []firestore.Query) {
	for _, d := range x.db.Config.Deliveries {
		if d.Forget != nil {
			all = append(all, d.Forget(x.db.Client, u).Select())
		}
	}
	return all
}

// pageDeliveries deletes what deliveries of the app's own wrote for an account, and of its posts. The phase is one for all of
// them, so that a purge goes on where it was, whatever deliveries the next deployment has. What is deleted is not found
// again: the page needs no cursor.
//
// A crash leaves the rest to the page, which is repeated.
func (x *Lifecycle) pageDeliveries(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	for _, q := range x.deliveredTo(job.Args[schema.ArgAuthor]) {
		err := work.UntilSettled(ctx, func() (int, error) {
			docs, err := store.ListPage(ctx, q, nil, limit-page.Done)
			if err != nil || len(docs) == 0 {
				return 0, err
			}
			if err := x.gone(ctx, job); err != nil {
				return 0, err
			}
			stale, err := x.removeListed(ctx, docs)
			if err == nil && stale == 0 {
				page.Done += len(docs)
			}
			return stale, err
		})
		if page.More = page.Done == limit; err != nil || page.More {
			return page, err
		}
	}
	return page, nil
}

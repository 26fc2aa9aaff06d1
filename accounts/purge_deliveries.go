package accounts

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// deliveredTo returns, for each of the app's own deliveries, a query for the documents that go with account u.
func (x *Lifecycle) deliveredTo(u string) (all []firestore.Query) {
	for _, d := range x.db.Config.Deliveries {
		if d.Forget != nil {
			all = append(all, d.Forget(x.db.Client, u).Select())
		}
	}
	return all
}

// pageDeliveries deletes the documents that the app's own deliveries wrote for an account and for its posts. All
// deliveries share one phase. So a purge continues at its place, whatever deliveries the next deployment has. A deleted
// document is not found again, so the page needs no cursor.
//
// After a crash, the page is repeated and deletes the remaining documents.
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

package bulk

import (
	"context"
	"errors"
	"sync/atomic"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/chunker"
)

// QueryFunc returns the query for the documents of a job.
type QueryFunc func(chunker.Job) (firestore.Query, error)

// ApplyFunc does the work on one document of a page.
type ApplyFunc func(ctx context.Context, job chunker.Job, doc *firestore.DocumentSnapshot) error

// Walk returns a PageFunc that calls apply for the documents of a query, in the order
// of their names, at most parallel at once. An error or panic fails the page after the other documents were tried: Walk
// joins the first errors. The query must have no order and no limit.
func Walk(parallel int, query QueryFunc, apply ApplyFunc) chunker.PageFunc {
	return func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		q, err := query(job)
		if err != nil {
			return chunker.Page{}, err
		}
		if q = q.OrderBy(firestore.DocumentID, firestore.Asc).Limit(limit); after != nil {
			q = q.StartAfter(after)
		}
		docs, err := q.Documents(ctx).GetAll()
		if err != nil {
			return chunker.Page{}, err
		}
		errs := make([]error, len(docs))
		var ended atomic.Bool // ctx ended before all were tried
		var group errgroup.Group
		group.SetLimit(parallel)
		for n, doc := range docs {
			group.Go(func() error {
				if ctx.Err() != nil {
					ended.Store(true)
					return nil
				}
				errs[n] = chunker.Guard(func() error { return apply(ctx, job, doc) })
				return nil
			})
		}
		_ = group.Wait()
		if ended.Load() {
			errs = append(errs, context.Cause(ctx))
		}
		if err := firstOf(errs); err != nil {
			return chunker.Page{}, err
		}
		return PageOf(docs, limit), nil
	}
}

// firstOf joins the first ten errors that a retry may help. If there are none, it joins the first ten others.
// Omitted errors come again with the retry.
func firstOf(errs []error) error {
	const most = 10
	var retry, permanent []error
	for _, err := range errs {
		switch {
		case err == nil:
		case chunker.IsPermanent(err):
			permanent = append(permanent, err)
		default:
			retry = append(retry, err)
		}
	}
	if len(retry) == 0 {
		retry = permanent
	}
	return errors.Join(retry[:min(len(retry), most)]...)
}

// PageOf returns the Page for the finished docs of a query limited to limit.
func PageOf(docs []*firestore.DocumentSnapshot, limit int) chunker.Page {
	if len(docs) == 0 {
		return chunker.Page{}
	}
	return chunker.Page{Last: docs[len(docs)-1].Ref, Done: len(docs), More: len(docs) == limit}
}

package chunker

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"golang.org/x/sync/errgroup"
)

// Task is a kind of work that jobs do.
type Task struct {
	// Kind is stored in job documents. Once released, it keeps its meaning.
	Kind string
	// Schema is the schema of the kind's jobs, at most [Schema]; 0: 1. An unfinished
	// job of an earlier schema starts over from its first phase. Its Args stay as the
	// earlier release set them.
	Schema int
	// Receipt keeps the Counts of a run that failed, was canceled, or has an earlier
	// schema, for the run that replaces it. They count work that the new run no longer
	// finds.
	Receipt bool
	// Phases run one after the other, each from its first document to its last.
	Phases []Phase
}

func (t Task) schema() int { return max(1, t.Schema) }

// Phase is one ordered walk.
type Phase struct {
	Name string
	Page PageFunc
}

// PageFunc does the work on at most limit documents that come after `after` (nil: from
// the first). The order must be the same in every call.
//
// PageFunc must be idempotent. It may be called again with the same cursor, even while
// an earlier call still runs somewhere. It returns a zero Page if nothing comes after
// the cursor.
type PageFunc func(ctx context.Context, job Job, after *firestore.DocumentRef, limit int) (Page, error)

// Page is the result of a PageFunc.
type Page struct {
	// Last is the last document finished, the cursor of the next call. It is nil if
	// there was none, or if the walk needs no cursor because finished documents no
	// longer match its query.
	Last *firestore.DocumentRef
	// Done is how many documents were finished.
	Done int
	// More means that the phase may have documents after Last.
	More bool
	// Gone means that the job's target no longer exists. The engine deletes the job's
	// document, which names the target, instead of keeping it as done. A lane's
	// document stays.
	Gone bool
	// Total, unless nil, is how many documents the run will finish in all.
	Total *int64
	// Counts is added to the job's Counts: a receipt of what was done. A repeated page
	// counts what it finds the second time.
	Counts map[string]int64
}

// QueryFunc returns the query for the documents of a job.
type QueryFunc func(Job) (firestore.Query, error)

// ApplyFunc does the work on one document of a page.
type ApplyFunc func(ctx context.Context, job Job, doc *firestore.DocumentSnapshot) error

// Walk returns a PageFunc that calls apply for the documents of a query, in the order
// of their names, at most parallel at once. In a lane, it does the documents of that
// lane. An error or panic fails the page after the other documents were tried: Walk
// joins the first errors. The query must have no order and no limit.
func Walk(parallel int, query QueryFunc, apply ApplyFunc) PageFunc {
	return func(ctx context.Context, job Job, after *firestore.DocumentRef, limit int) (Page, error) {
		q, err := query(job)
		if err != nil {
			return Page{}, err
		}
		q = job.within(q.OrderBy(firestore.DocumentID, firestore.Asc).Limit(limit), after)
		docs, err := q.Documents(ctx).GetAll()
		if err != nil {
			return Page{}, err
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
				errs[n] = Guard(func() error { return apply(ctx, job, doc) })
				return nil
			})
		}
		_ = group.Wait()
		if ended.Load() {
			errs = append(errs, context.Cause(ctx))
		}
		if err := firstOf(errs); err != nil {
			return Page{}, err
		}
		return PageOf(docs, limit), nil
	}
}

// firstOf joins the first ten errors that a retry may help. If there are none, it joins
// the first ten others. Errors that are left out come again with the retry.
func firstOf(errs []error) error {
	const most = 10
	var retry, permanent []error
	for _, err := range errs {
		switch {
		case err == nil:
		case IsPermanent(err):
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
func PageOf(docs []*firestore.DocumentSnapshot, limit int) Page {
	if len(docs) == 0 {
		return Page{}
	}
	return Page{Last: docs[len(docs)-1].Ref, Done: len(docs), More: len(docs) == limit}
}

// CountFirst returns a PageFunc that sets the job's total. Use it as a phase before a
// walk over the same query. It costs one read for each thousand documents.
func CountFirst(query QueryFunc) PageFunc {
	return func(ctx context.Context, job Job, _ *firestore.DocumentRef, _ int) (Page, error) {
		q, err := query(job)
		if err != nil {
			return Page{}, err
		}
		total, err := Count(ctx, job.within(q.OrderBy(firestore.DocumentID, firestore.Asc), nil))
		if err != nil {
			return Page{}, err
		}
		return Page{Total: &total}, nil
	}
}

// Count returns the number of documents of a query. It costs one read for each
// thousand.
func Count(ctx context.Context, q firestore.Query) (int64, error) {
	const alias = "n"
	result, err := q.NewAggregationQuery().WithCount(alias).Get(ctx)
	if err != nil {
		return 0, err
	}
	v, ok := result[alias].(*pb.Value)
	if !ok {
		return 0, fmt.Errorf("count: answer is a %T", result[alias])
	}
	return v.GetIntegerValue(), nil
}

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

// Task is a kind of work that jobs can be made of.
type Task struct {
	// Kind is stored in job documents: once released it keeps its meaning.
	Kind string
	// Schema is that of the kind's jobs, at most [Schema]; 0: 1. An unfinished job
	// of an earlier one is done from its first phase again. Its Args are as the
	// earlier release set them.
	Schema int
	// Receipt keeps the Counts of a run that failed, was canceled, or is of an earlier
	// schema, for the run that takes its place: they say that something has gone already.
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

// PageFunc does the work on at most limit documents that come after `after`
// (nil: from the first), in an order that stays the same from call to call.
//
// It may be called again with the same cursor, also while an earlier call
// with that cursor still runs somewhere, so its work is idempotent. It returns
// a zero Page when there was nothing after the cursor.
type PageFunc func(ctx context.Context, job Job, after *firestore.DocumentRef, limit int) (Page, error)

// Page is what a call of PageFunc got done.
type Page struct {
	// Last is the last document finished, the cursor of the next call; nil when
	// there was none, or where the walk needs no cursor because what it has
	// finished no longer matches its query.
	Last *firestore.DocumentRef
	// Done is how many documents were finished.
	Done int
	// More says that the phase may have documents after Last.
	More bool
	// Gone says that what the job is for no longer exists: the job's document,
	// which names it, is deleted rather than kept as done. A lane's is kept.
	Gone bool
	// Total, unless nil, is how many documents the run will finish in all.
	Total *int64
	// Counts is added to the job's: a receipt of what was done. A page that is
	// done twice counts what it finds the second time.
	Counts map[string]int64
}

// QueryFunc is the documents of a job.
type QueryFunc func(Job) (firestore.Query, error)

// ApplyFunc does the work on one document of a page.
type ApplyFunc func(ctx context.Context, job Job, doc *firestore.DocumentSnapshot) error

// Walk is a PageFunc over the documents of a query, in the order of their
// names, and of a lane over those of its part. Each is given to apply, with at
// most parallel at a time. An error, or panic, fails the page when the others
// have been tried: the first of them are joined. The query must not have an order
// or a limit of its own.
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
		var ended atomic.Bool // ctx, before all were tried
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

// firstOf joins the first ten of errs: of those that a retry may help, if there
// are any. The others then come with the retry.
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

// PageOf is the Page of having finished docs, which a query limited to limit
// returned.
func PageOf(docs []*firestore.DocumentSnapshot, limit int) Page {
	if len(docs) == 0 {
		return Page{}
	}
	return Page{Last: docs[len(docs)-1].Ref, Done: len(docs), More: len(docs) == limit}
}

// CountFirst is a phase before a walk over the same query that tells the job's
// total. It costs one read for each thousand documents.
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

// Count is the number of documents of a query. It costs one read for each
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

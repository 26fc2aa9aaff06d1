package bulk

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/chunker"
)

// CountFirst returns a PageFunc that sets the job's total. Use it as a phase before a
// walk over the same query. It costs one read for each thousand documents.
func CountFirst(query QueryFunc) chunker.PageFunc {
	return func(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
		q, err := query(job)
		if err != nil {
			return chunker.Page{}, err
		}
		total, err := Count(ctx, q.OrderBy(firestore.DocumentID, firestore.Asc))
		if err != nil {
			return chunker.Page{}, err
		}
		return chunker.Page{Total: &total}, nil
	}
}

// Count returns the number of documents of a query. It costs one read for each
// thousand.
func Count(ctx context.Context, q firestore.Query) (int64, error) {
	return count(ctx, q.NewAggregationQuery())
}

// CountIn is Count in a transaction, as of its snapshot if it is read-only.
func CountIn(ctx context.Context, tx *firestore.Transaction, q firestore.Query) (int64, error) {
	return count(ctx, q.NewAggregationQuery().Transaction(tx))
}

// Sum returns the sum of a field, a whole number, over the documents of a query. It costs one read for each thousand.
func Sum(ctx context.Context, q firestore.Query, field string) (int64, error) {
	return aggregated(ctx, q.NewAggregationQuery().WithSum(field, alias))
}

func count(ctx context.Context, q *firestore.AggregationQuery) (int64, error) {
	return aggregated(ctx, q.WithCount(alias))
}

// alias names the result of an aggregation.
const alias = "n"

func aggregated(ctx context.Context, q *firestore.AggregationQuery) (int64, error) {
	result, err := q.Get(ctx)
	if err != nil {
		return 0, err
	}
	v, ok := result[alias].(*pb.Value)
	if !ok {
		return 0, fmt.Errorf("aggregation: answer is a %T", result[alias])
	}
	return v.GetIntegerValue() + int64(v.GetDoubleValue()), nil // a sum is a double if one of the values is a double
}

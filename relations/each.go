package relations

import (
	"context"
	"errors"
	"slices"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/batch"
)

// each calls work for every item, as many at once as Options.Parallel and the memory
// budget allow. It counts the stale items. It continues after errors and panics, and
// returns the first errors together, so that a bad document of a client does not hold up
// others. Only the end of ctx stops it early. Its caller must hold no share of the
// budget, and work must take none.
func each[T any](ctx context.Context, x *Index, items []T, work func(context.Context, T) error) (stale int, err error) {
	return eachIn(ctx, x, x.memory, items, nil, withoutShare(work))
}

// eachHolding is each for work that holds arrays of followers. Each item has a share of
// bytes of the memory budget.
func eachHolding[T any](ctx context.Context, x *Index, items []T, bytes func(T) int, work func(context.Context, *batch.Share, T) error) (stale int, err error) {
	return eachIn(ctx, x, x.memory, items, bytes, work)
}

// eachFollow is each for work that calls Follow. Follow itself waits for shares of the
// memory budget. So the items have another budget: they only count.
func eachFollow[T any](ctx context.Context, x *Index, items []T, work func(context.Context, T) error) (stale int, err error) {
	return eachIn(ctx, x, batch.NewLimiter(memoryBudget, x.opts.Parallel), items, nil, withoutShare(work))
}

func withoutShare[T any](work func(context.Context, T) error) func(context.Context, *batch.Share, T) error {
	return func(ctx context.Context, _ *batch.Share, item T) error { return work(ctx, item) }
}

func eachIn[T any](ctx context.Context, x *Index, l *batch.Limiter, items []T, bytes func(T) int, work func(context.Context, *batch.Share, T) error) (stale int, err error) {
	var failed failures
	ended := batch.Each(ctx, l, items, bytes, work, func(err error) {
		chunker.LogPanic(ctx, x.opts.Logger, err)
		if isStale(err) {
			stale++
			return
		}
		failed.add(err)
	})
	if ended != nil {
		return stale, errors.Join(failed.joined(), ended)
	}
	return stale, failed.joined()
}

// failures collects errors of work that continues after them.
type failures struct{ retry, damaged, bad []error }

func (f *failures) add(err error) {
	errs := &f.retry
	switch {
	case onlyDamaged(err): // keep all: each names a document to mend
		f.damaged = append(f.damaged, err)
		return
	case errors.Is(err, ErrBadDocument):
		errs = &f.bad
	}
	if err != nil && len(*errs) < maxErrors {
		*errs = append(*errs, err)
	}
}

// joined returns the first failures together, and all errors of damaged documents.
// onlyDamaged holds for the result only if nothing else failed. The result is
// ErrBadDocument, which is not retried, only if all failures are.
func (f *failures) joined() error {
	if len(f.retry)+len(f.damaged) == 0 {
		return errors.Join(f.bad...)
	}
	all := slices.Concat(f.retry, f.damaged)
	for _, err := range f.bad {
		all = append(all, errors.New(err.Error()))
	}
	return errors.Join(all...)
}

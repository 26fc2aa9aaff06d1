package work

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime/debug"
	"slices"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/batch"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// Pool limits the work that a process does at once.
type Pool struct {
	Memory   *batch.Limiter // of writes, and of the follower arrays that they hold
	budget   int            // bytes of Memory
	parallel int
	logger   *slog.Logger
}

// NewPool makes a pool for concurrent work on parallel items, which hold at most budget bytes of follower
// arrays. logger gets the stacks of work that panics.
func NewPool(budget, parallel int, logger *slog.Logger) Pool {
	return Pool{batch.NewLimiter(budget, parallel), budget, parallel, logger}
}

// Budget returns the bytes for a pool of this process: a sixteenth of Go's memory limit. A deployed function
// has a memory limit from its instance's memory. Without one, Budget returns [schema.MemoryBudget].
//
// An array takes about ten times its stored bytes, so work holds up to five eighths of the limit.
func Budget() int {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 { // a negative limit only reads the current one
		return max(schema.MemoryBudget, int(limit/16))
	}
	return schema.MemoryBudget
}

// Each calls work for every item, as many at once as the pool allows. It counts the stale
// items. It continues after errors and panics, and returns the first errors together, so
// that a bad document of a client does not hold up others. Only the end of ctx stops it
// early. The caller must hold no share of the budget, and work must take no share.
func Each[T any](ctx context.Context, x Pool, items []T, work func(context.Context, T) error) (stale int, err error) {
	return eachIn(ctx, x, x.Memory, items, nil, withoutShare(work))
}

// EachHolding is Each for work that holds arrays of followers. Each item has a share of
// bytes of the memory budget.
func EachHolding[T any](ctx context.Context, x Pool, items []T, bytes func(T) int, work func(context.Context, *batch.Share, T) error) (stale int, err error) {
	return eachIn(ctx, x, x.Memory, items, bytes, work)
}

// EachFollow is Each for work that itself waits for shares of the memory budget, as Follow of a graph does. So the items
// have another budget, which only limits their number.
func EachFollow[T any](ctx context.Context, x Pool, items []T, work func(context.Context, T) error) (stale int, err error) {
	return eachIn(ctx, x, batch.NewLimiter(x.budget, x.parallel), items, nil, withoutShare(work))
}

func withoutShare[T any](work func(context.Context, T) error) func(context.Context, *batch.Share, T) error {
	return func(ctx context.Context, _ *batch.Share, item T) error { return work(ctx, item) }
}

func eachIn[T any](ctx context.Context, x Pool, l *batch.Limiter, items []T, bytes func(T) int, work func(context.Context, *batch.Share, T) error) (stale int, err error) {
	var failed Failures
	ended := batch.Each(ctx, l, items, bytes, work, func(err error) {
		chunker.LogPanic(ctx, x.logger, err)
		if store.IsStale(err) {
			stale++
			return
		}
		failed.Add(err)
	})
	if ended != nil {
		return stale, errors.Join(failed.Joined(), ended)
	}
	return stale, failed.Joined()
}

// Failures collects errors of work that continues after them.
type Failures struct{ retry, damaged, bad []error }

// Add adds an error; nil: nothing.
func (f *Failures) Add(err error) {
	errs := &f.retry
	switch {
	case schema.OnlyDamaged(err): // keep all: each names a document to mend
		f.damaged = append(f.damaged, err)
		return
	case errors.Is(err, schema.ErrBadDocument):
		errs = &f.bad
	}
	if err != nil && len(*errs) < schema.MaxErrors {
		*errs = append(*errs, err)
	}
}

// Joined returns the first failures together, and all errors of damaged documents. OnlyDamaged holds for the
// result only if nothing else failed. The result is ErrBadDocument, which is not retried, only if all failures
// are ErrBadDocument.
func (f *Failures) Joined() error {
	if len(f.retry)+len(f.damaged) == 0 {
		return errors.Join(f.bad...)
	}
	all := slices.Concat(f.retry, f.damaged)
	for _, err := range f.bad {
		all = append(all, errors.New(err.Error()))
	}
	return errors.Join(all...)
}

package relations

import (
	"context"
	"errors"
	"slices"
	"sync"

	"example.com/relationindex/chunker"
)

// each calls work for every item, as many at once as the process has slots. It counts
// the stale items. It continues after errors and panics, and returns the first errors
// together, so that a bad document of a client does not hold up others. Only the end of
// ctx stops it early.
func each[T any](ctx context.Context, x *Index, items []T, work func(context.Context, T) error) (stale int, err error) {
	return eachIn(ctx, x, x.slots, items, work)
}

// eachFollow is each for work on follows, which itself calls each. It has its own
// slots. If such work held a slot of the process while waiting for another, it could
// wait for itself and block all other work.
func eachFollow[T any](ctx context.Context, x *Index, items []T, work func(context.Context, T) error) (stale int, err error) {
	return eachIn(ctx, x, make(chan struct{}, x.opts.Parallel), items, work)
}

func eachIn[T any](ctx context.Context, x *Index, slots chan struct{}, items []T, work func(context.Context, T) error) (stale int, err error) {
	var mu sync.Mutex
	var failed failures
	var running sync.WaitGroup
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if isStale(err) {
			stale++
			return
		}
		failed.add(err)
	}
	for _, item := range items {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			running.Wait()
			return stale, errors.Join(failed.joined(), context.Cause(ctx))
		}
		running.Go(func() {
			defer func() { <-slots }()
			if err := chunker.Guard(func() error { return work(ctx, item) }); err != nil {
				chunker.LogPanic(ctx, x.opts.Logger, err)
				note(err)
			}
		})
	}
	running.Wait()
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

package verify

import (
	"context"
	"errors"
	"iter"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/store"
)

// grouped calls check for each run of documents of one author, for several authors at a
// time. check gets the items that read returned, in parts of at most size, while the
// query goes on: an author may have more than memory holds. check must receive every
// part. The query must return an author's documents one after the other.
//
// If the query fails, the last thing that a check gets is the error. The parts before it
// are then incomplete.
func grouped[T any](
	ctx context.Context, q firestore.Query, size int,
	read func(*firestore.DocumentSnapshot) (author string, item T, ours bool),
	check func(ctx context.Context, author string, parts iter.Seq2[[]T, error]) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	var current string
	var items []T
	var parts chan []T // to the check of current; nil: not yet called
	send := func() {
		if len(items) == 0 {
			return
		}
		if parts == nil {
			u, ch := current, make(chan []T)
			group.Go(func() error { return check(ctx, u, received(ctx, ch)) })
			parts = ch
		}
		select {
		case parts <- items:
		case <-ctx.Done():
		}
		items = nil
	}
	end := func() {
		send()
		if parts != nil && ctx.Err() == nil {
			close(parts)
		}
		parts = nil
	}
	for doc, err := range store.Documents(ctx, q) {
		if err != nil {
			cancel(err)
			return errors.Join(err, group.Wait())
		}
		u, item, ours := read(doc)
		if !ours {
			continue
		}
		if u != current {
			end()
			current = u
		}
		if items = append(items, item); len(items) == size {
			send()
		}
	}
	end()
	return group.Wait()
}

// received yields the items of a channel until the channel is closed. If ctx ends before that, it yields the error of
// ctx.
func received[T any](ctx context.Context, parts <-chan []T) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		for {
			select {
			case part, ok := <-parts:
				if !ok || !yield(part, nil) {
					return
				}
			case <-ctx.Done():
				yield(nil, context.Cause(ctx))
				return
			}
		}
	}
}

// one returns the parts for a check that gets at most one part.
func one[T any](items ...T) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		if len(items) > 0 {
			yield(items, nil)
		}
	}
}

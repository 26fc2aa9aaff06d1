package batch

import (
	"context"
	"sync"

	"example.com/relationindex/chunker"
)

// Each calls work for every item, concurrently, as far as l allows. Each call has a share
// of bytes(item), which it may shrink or resize; nil bytes: the least share. Work must
// not take another share, and the caller of Each must not have one: see [Limiter].
//
// Each continues after errors and panics. It calls failed with each error, one at a time;
// a panic is an error of [chunker.Guard]. Only the end of ctx stops it early. It then
// waits for the work that has begun, and returns the cause.
func Each[T any](ctx context.Context, l *Limiter, items []T, bytes func(T) int, work func(context.Context, *Share, T) error, failed func(error)) error {
	var mu sync.Mutex
	var running sync.WaitGroup
	defer running.Wait()
	for _, item := range items {
		size := 0
		if bytes != nil {
			size = bytes(item)
		}
		share, err := l.Take(ctx, size)
		if err != nil {
			return err
		}
		running.Go(func() {
			defer share.Release()
			if err := chunker.Guard(func() error { return work(ctx, share, item) }); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed(err)
			}
		})
	}
	return nil
}

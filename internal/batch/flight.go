package batch

import (
	"context"

	"golang.org/x/sync/singleflight"

	"example.com/relationindex/chunker"
)

// Flight lets concurrent calls with one key share one network call. The zero value is ready; it is safe for concurrent
// use.
// A lock held during the call would do the same, but a caller that waits for a lock cannot leave.
type Flight[T any] struct{ calls singleflight.Group }

// Do returns the result of do to all callers with this key that come while do runs. do runs once, and continues after the
// end of ctx, so that one leaving caller does not fail the others. do must limit its own time. Each caller
// waits until its own ctx ends, and then gets the cause. Do returns a panic as an error.
func (f *Flight[T]) Do(ctx context.Context, key string, do func(context.Context) (T, error)) (T, error) {
	shared := f.calls.DoChan(key, func() (value any, err error) {
		var got T
		err = chunker.Guard(func() (err error) {
			got, err = do(context.WithoutCancel(ctx))
			return err
		})
		return got, err
	})
	select {
	case result := <-shared:
		return result.Val.(T), result.Err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

package batch

import (
	"context"

	"golang.org/x/sync/singleflight"

	"example.com/relationindex/chunker"
)

// Flight lets concurrent calls share one call of the network. The zero value is ready; it is
// safe for concurrent use. A lock that is held meanwhile would do the same, but who waits for a
// lock cannot leave.
type Flight[T any] struct{ calls singleflight.Group }

// Do returns what do returns, for all who call while it runs: do runs once, and goes on after
// the end of ctx, so that one caller who leaves does not fail the others. do limits its own time.
// Each caller waits as long as its own ctx allows, and gets the cause of its end. A panic is an
// error.
func (f *Flight[T]) Do(ctx context.Context, do func(context.Context) (T, error)) (T, error) {
	shared := f.calls.DoChan("", func() (value any, err error) {
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

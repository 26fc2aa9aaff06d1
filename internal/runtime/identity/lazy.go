package identity

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/singleflight"
)

// lazy is a client that is opened when it is first needed, and again when that
// was no success. Those who need it meanwhile wait together, each as long as
// its context allows.
type lazy[C any] struct {
	open    func(context.Context) (*C, error)
	client  atomic.Pointer[C]
	opening singleflight.Group
}

func (l *lazy[C]) get(ctx context.Context) (*C, error) {
	if c := l.client.Load(); c != nil {
		return c, nil
	}
	opened := l.opening.DoChan("", func() (any, error) {
		// It outlives the request that happens to be first.
		c, err := l.open(context.WithoutCancel(ctx))
		if err == nil {
			l.client.Store(c)
		}
		return c, err
	})
	select {
	case result := <-opened:
		return result.Val.(*C), result.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

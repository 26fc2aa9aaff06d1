package identity

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/singleflight"
)

// lazy is a client that opens at its first use, and again at the next use if that failed.
// Concurrent callers wait for the same attempt, each as long as its context allows.
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
		// The client outlives the request that opens it.
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

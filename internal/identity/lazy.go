package identity

import (
	"context"
	"sync/atomic"

	"example.com/relationindex/internal/batch"
)

// lazy is a client that opens at its first use. If opening fails, the next use tries again. Concurrent callers
// wait for the same attempt, each until its context ends.
type lazy[C any] struct {
	open    func(context.Context) (*C, error)
	client  atomic.Pointer[C]
	opening batch.Flight[*C]
}

func (l *lazy[C]) get(ctx context.Context) (*C, error) {
	if c := l.client.Load(); c != nil {
		return c, nil
	}
	return l.opening.Do(ctx, "", func(ctx context.Context) (*C, error) { // outlives the request that opens it
		c, err := l.open(ctx)
		if err == nil {
			l.client.Store(c)
		}
		return c, err
	})
}

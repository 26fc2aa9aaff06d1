package schema

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// cached is a value of the database that a process uses for a while. The zero value has read nothing. It is
// safe for concurrent use.
type cached[T any] struct {
	reading singleflight.Group
	last    atomic.Pointer[cachedRead[T]]
}

// cachedRead is a value, and the time when its read began.
type cachedRead[T any] struct {
	value T
	began time.Time
}

// cachedTimeout limits one read of a value.
const cachedTimeout = 10 * time.Second

// get returns the value as it was at most ttl ago. Concurrent calls share a read; each ends with its own
// ctx.
func (c *cached[T]) get(ctx context.Context, ttl time.Duration, read func(context.Context) (T, error)) (value T, err error) {
	if last := c.last.Load(); last != nil && time.Since(last.began) < ttl {
		return last.value, nil
	}
	shared := c.reading.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cachedTimeout)
		defer cancel()
		began := time.Now()
		value, err := read(ctx)
		if err == nil {
			c.last.Store(&cachedRead[T]{value, began})
		}
		return value, err
	})
	select {
	case result := <-shared:
		if result.Err != nil {
			return value, result.Err
		}
		return result.Val.(T), nil //nolint:forcetypeassert // as read returns it
	case <-ctx.Done():
		return value, context.Cause(ctx)
	}
}

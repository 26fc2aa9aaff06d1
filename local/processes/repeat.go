package processes

import (
	"context"
	"time"
)

// task is work in the background until close.
type task struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// begin begins work, which must return soon after its context has ended. The work outlives the context of begin.
func begin(ctx context.Context, work func(context.Context)) *task {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t := &task{cancel, make(chan struct{})}
	go func() {
		defer close(t.done)
		work(ctx)
	}()
	return t
}

// repeat does work again and again, with a pause before each time.
func repeat(ctx context.Context, pause time.Duration, work func(context.Context)) *task {
	return begin(ctx, func(ctx context.Context) {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				work(ctx)
			}
		}
	})
}

// close ends the work, and returns when the work has ended.
func (t *task) close() error {
	t.cancel()
	<-t.done
	return nil
}

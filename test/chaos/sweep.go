package chaos

import (
	"context"
	"sync"
	"time"
)

const (
	// never is longer than a run.
	never = 24 * time.Hour
	// sweepEvery is the pause between two calls of Sweep.
	sweepEvery = 5 * time.Second
)

// sweepLater calls Sweep again and again after the time Sweepless, until stop is called. An
// undisturbed system must come to rest before that time. If it does not, that is a difference, and
// later calls in the run begin at once.
func (r *run) sweepLater(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var sweeping sync.WaitGroup
	sweeping.Go(func() {
		wait := time.NewTimer(r.Sweepless)
		if r.waited {
			wait.Reset(0)
		}
		defer wait.Stop()
		for first := true; ; first = false {
			select {
			case <-ctx.Done():
				return
			case <-wait.C:
			}
			if first && !r.waited && r.undisturbed() {
				r.waited = true
				r.found.report("not at rest after %v without Sweep", r.Sweepless)
			}
			if err := r.system.Sweep(ctx); err != nil && ctx.Err() == nil {
				r.found.report("sweep: %v", err)
			}
			wait.Reset(sweepEvery)
		}
	})
	return func() {
		cancel()
		sweeping.Wait()
	}
}

// undisturbed reports whether no process dies, no call or delivery fails on purpose, and no job waits
// for the brake.
func (r *run) undisturbed() bool {
	return r.KillEvery == 0 && r.Faults.Rate == 0 && r.Weather == 0 && r.Chaos.Drop == 0 && r.Chaos.Lose == 0 && !r.Brake
}

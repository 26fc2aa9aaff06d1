package chaos

import (
	"context"
	"sync"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
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

// brake puts the brake on, and waits until all workers have read that.
func (r *run) brake(ctx context.Context) error {
	if _, err := schema.BrakeDocument(r.system.Client()).Set(ctx, map[string]any{}); err != nil {
		return err
	}
	return sleep(ctx, schema.BrakeTTL)
}

// waitingTimeout is the longest time until a job waits: events may be late, and calls may fail.
const waitingTimeout = time.Minute

// release takes the brake off once a job waits. If none waits in time, it reports that.
func (r *run) release(ctx context.Context) error {
	client := r.system.Client()
	waiting := chunker.New(client, chunker.Options{}).Waiting()
	for deadline := time.Now().Add(waitingTimeout); r.braked == 0 && time.Now().Before(deadline); {
		docs, err := waiting.Documents(ctx).GetAll()
		if err != nil {
			return err
		}
		if r.braked = len(docs); r.braked == 0 {
			if err := sleep(ctx, time.Second); err != nil {
				return err
			}
		}
	}
	if r.braked == 0 {
		r.found.report("no job waits, though the brake is on")
	}
	_, err := schema.BrakeDocument(client).Delete(ctx)
	return err
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// hourEvery is the pause between two looks for jobs that wait for an account's hour.
const hourEvery = 5 * time.Second

// hours lets an account's hour pass within seconds, until stop is called: work that waits for an hour begins, as with
// `relationindex jobs retry`. stop returns its error.
func (r *run) hours(ctx context.Context) (stop func() error) {
	if r.Hour == 0 {
		return func() error { return nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		for {
			_, err := r.passHour(ctx)
			if stopped := sleep(ctx, hourEvery); stopped != nil {
				ended <- nil
				return
			}
			if err != nil {
				ended <- err
				return
			}
		}
	}()
	return func() error {
		cancel()
		return <-ended
	}
}

// passHour begins the work that waits for an hour, and returns the number of its jobs.
func (r *run) passHour(ctx context.Context) (begun int, err error) {
	engine := chunker.New(r.system.Client(), chunker.Options{})
	docs, err := engine.Documents().Where("kind", "==", schema.KindLater).Where("state", "==", string(chunker.Queued)).Documents(ctx).GetAll()
	if err != nil {
		return 0, err
	}
	for _, doc := range docs {
		if at, err := doc.DataAt("at"); err != nil || at == nil || at.(time.Time).Before(time.Now()) {
			continue
		}
		if _, err := engine.Retry(ctx, doc.Ref.ID); err == nil { // otherwise another event has begun it
			begun++
		}
	}
	r.found.count("works that waited for an hour", begun)
	return begun, nil
}

// restOfHour waits until the system is idle, and no work waits for an hour.
func (r *run) restOfHour(ctx context.Context) error {
	for {
		if err := r.system.Idle(ctx); err != nil || r.Hour == 0 {
			return err
		}
		if begun, err := r.passHour(ctx); err != nil || begun == 0 {
			return err
		}
	}
}

package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/relationindex/chunker"
)

// These are the lengths of a step.
const (
	onePage  = time.Nanosecond
	wholeJob = time.Minute
)

const (
	deliveries = 20  // of one event to an undisturbed process
	passes     = 300 // over the unfinished jobs
)

// handled delivers events until each is acknowledged.
func (p process) handled(ctx context.Context, events ...event) error {
	var err error
	for range deliveries {
		if events, err = p.deliver(ctx, events...); err == nil {
			return nil
		}
	}
	return fmt.Errorf("delivered %d times: %w", deliveries, err)
}

// step runs one step of each unfinished job, and returns the number of these jobs. A step ends early
// when it has lasted for longest.
func (p process) step(ctx context.Context, longest time.Duration) (int, error) {
	jobs, err := p.engine.Unfinished(ctx, 100)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, job := range jobs {
		budget := chunker.NewBudget(ctx, time.Now(), time.Minute, 0, nil).Yield(longest)
		err := p.engine.Run(ctx, job.ID, budget)
		if err != nil {
			errs = append(errs, fmt.Errorf("job %s: %w", job.ID, err))
		}
	}
	return len(jobs), errors.Join(errs...)
}

// work runs steps of jobs until none is left, until Run returns an error, or for the given number of
// turns: another process may hold some jobs, and the process may die.
func (p process) work(ctx context.Context) {
	const turns = 60 // enough for the longest story
	for range turns {
		if open, err := p.step(ctx, wholeJob); open == 0 || err != nil {
			return
		}
	}
}

// settle delivers events to an undisturbed process, and runs all jobs.
func (p process) settle(ctx context.Context, events ...event) error {
	if err := p.handled(ctx, events...); err != nil {
		return err
	}
	for range passes {
		if open, err := p.step(ctx, wholeJob); open == 0 || err != nil {
			return err
		}
	}
	jobs, err := p.engine.Unfinished(ctx, 1)
	if err != nil || len(jobs) == 0 {
		return err
	}
	return fmt.Errorf("job %s is %s after %d passes: %v", jobs[0].ID, jobs[0].State, passes, jobs[0].Error)
}

package chaos

import (
	"context"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

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

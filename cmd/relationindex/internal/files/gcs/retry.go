package gcs

import (
	"context"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/storage"
)

// maxTries is how often in a row something is tried: about 50 seconds with the waits between.
const maxTries = 9

// pause waits before the next try, the longer the more there were.
func pause(ctx context.Context, tries int) error {
	wait := min(250*time.Millisecond<<tries, 15*time.Second)
	timer := time.NewTimer(wait/2 + rand.N(wait/2)) //nolint:gosec // spreads retries, guards nothing
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// again asks until there is an answer, which may be that the request is refused.
func again(ctx context.Context, ask func() error) error {
	for tries := 1; ; tries++ {
		err := ask()
		if err == nil || tries == maxTries || !storage.ShouldRetry(err) || pause(ctx, tries) != nil {
			return err
		}
	}
}

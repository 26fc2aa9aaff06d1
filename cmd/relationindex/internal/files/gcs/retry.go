package gcs

import (
	"context"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/storage"
)

// maxTries is the most tries in a row: about 50 seconds with the waits between them.
const maxTries = 9

// pause waits before the next try. The wait grows with the number of tries.
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

// again calls ask, at most [maxTries] times, until ask succeeds or a retry cannot help.
func again(ctx context.Context, ask func() error) error {
	for tries := 1; ; tries++ {
		err := ask()
		if err == nil || tries == maxTries || !storage.ShouldRetry(err) || pause(ctx, tries) != nil {
			return err
		}
	}
}

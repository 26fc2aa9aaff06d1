package files

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/schema"
)

// tries is how often work is tried before the import ends. With the waits, ten tries
// last about a minute.
const tries = 10

// retry calls work, and repeats the call after a transient error, up to [tries] calls.
// work must be safe to repeat.
func retry(ctx context.Context, work func() error) error {
	for try := 1; ; try++ {
		err := work()
		if err == nil || try == tries || !transient(err) || ctx.Err() != nil {
			return err
		}
		wait := min(100*time.Millisecond<<try, 15*time.Second)
		select {
		case <-time.After(wait/2 + rand.N(wait/2)): //nolint:gosec // spreads retries, guards nothing
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// transient reports whether a retry may succeed after err.
func transient(err error) bool {
	if errors.Is(err, schema.ErrContention) {
		return true
	}
	switch status.Code(err) {
	case codes.Aborted, codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Internal:
		return true
	default:
		return false
	}
}

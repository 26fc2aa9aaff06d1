package work

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// MaxRounds limits how often a reconciler plans again because documents changed. After
// that it returns an error, and the event is redelivered.
const MaxRounds = 20

// UntilSettled calls round until it finds nothing stale. It pauses between rounds, so
// that other writers can finish. It also calls round again after a round that found
// something stale and failed only at damaged documents.
func UntilSettled(ctx context.Context, round func() (stale int, err error)) error {
	for try := range MaxRounds {
		stale, err := round()
		if err != nil && !errors.Is(err, store.ErrStale) && (stale == 0 || !schema.OnlyDamaged(err)) {
			return err
		}
		if err == nil && stale == 0 {
			return nil
		}
		if err := Pause(ctx, try); err != nil {
			return err
		}
	}
	return schema.ErrContention
}

// Pause waits a random time before the next try. The maximum grows with the tries to
// about the duration of a transaction.
func Pause(ctx context.Context, try int) error {
	select {
	case <-time.After(rand.N(time.Duration(min(try+1, 5)) * 20 * time.Millisecond)): //nolint:gosec // spreads tries, guards nothing
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

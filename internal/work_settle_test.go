package internal_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// Planning again without a pause would disturb the writers that caused the contention.
func TestUntilSettledPauses(t *testing.T) {
	t.Parallel()
	started, rounds := time.Now(), 0
	err := work.UntilSettled(t.Context(), func() (int, error) {
		rounds++
		return 1, nil
	})
	if took := time.Since(started); !errors.Is(err, schema.ErrContention) || took < 100*time.Millisecond {
		t.Errorf("%d rounds took %v and ended with %v", rounds, took, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("the reason")
	cancel(reason)
	if err := work.UntilSettled(ctx, func() (int, error) { return 1, nil }); !errors.Is(err, reason) {
		t.Errorf("it ended with %v, want %v", err, reason)
	}
}

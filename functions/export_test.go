package functions

import (
	"context"
	"math"

	"example.com/relationindex/chunker"
)

// RunLater does what a job of [Handlers.within] does.
func (h *Handlers) RunLater(ctx context.Context, job chunker.Job) error {
	_, err := h.pageLater(ctx, job, nil, 100)
	return err
}

// LookAtBrake looks at the brake, as a function does before its first event.
func (h *Handlers) LookAtBrake(ctx context.Context) error { return h.index.DB.LookAtBrake(ctx) }

// ActsLeft returns how many acts an account has left in the hour of OnPostWritten.
func (h *Handlers) ActsLeft(account string) int {
	return int(math.Round(h.acts.rates.Left(hourOf("OnPostWritten", account))))
}

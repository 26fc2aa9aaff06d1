package functions

import (
	"context"

	"example.com/relationindex/chunker"
)

// RunLater does what a job of [Handlers.within] does.
func (h *Handlers) RunLater(ctx context.Context, job chunker.Job) error {
	_, err := h.pageLater(ctx, job, nil, 0)
	return err
}

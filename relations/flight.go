package relations

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// flight bounds how many bytes of follower arrays are held by all calls
// together, whatever their number: it is what keeps memory flat.
type flight struct {
	free  *semaphore.Weighted
	bytes int
}

func newFlight(bytes int) flight { return flight{semaphore.NewWeighted(int64(bytes)), bytes} }

// take waits until bytes more may be held. What is more than all of them
// together counts as that.
func (f flight) take(ctx context.Context, bytes int) (*held, error) {
	h := &held{f, int64(min(bytes, f.bytes))}
	return h, f.free.Acquire(ctx, h.bytes)
}

// held is a share of a flight. It is for one goroutine.
type held struct {
	flight
	bytes int64
}

// shrink gives back what bytes do not need. It may be called again.
func (h *held) shrink(bytes int) {
	if surplus := h.bytes - int64(bytes); surplus > 0 {
		h.free.Release(surplus)
		h.bytes -= surplus
	}
}

// release gives back the rest.
func (h *held) release() { h.shrink(0) }

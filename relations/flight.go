package relations

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// flight is the memory budget of all concurrent calls together: the bytes of follower
// arrays that they may hold.
type flight struct {
	free  *semaphore.Weighted
	bytes int
}

func newFlight(bytes int) flight { return flight{semaphore.NewWeighted(int64(bytes)), bytes} }

// take waits until the call may hold bytes more. A request above the whole budget gets
// the whole budget.
func (f flight) take(ctx context.Context, bytes int) (*held, error) {
	h := &held{f, int64(min(bytes, f.bytes))}
	return h, f.free.Acquire(ctx, h.bytes)
}

// held is a share of a flight. It must be used by only one goroutine.
type held struct {
	flight
	bytes int64
}

// shrink releases all but bytes of the share. You may call it again.
func (h *held) shrink(bytes int) {
	if surplus := h.bytes - int64(bytes); surplus > 0 {
		h.free.Release(surplus)
		h.bytes -= surplus
	}
}

// release releases the rest.
func (h *held) release() { h.shrink(0) }

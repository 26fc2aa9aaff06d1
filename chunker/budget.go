package chunker

import (
	"context"
	"time"
)

// Budget is the time that a step may use. The zero Budget is spent.
//
// Running out is the normal end of a step, not an error.
type Budget struct {
	end   time.Time
	yield time.Time // zero: not before end
	now   func() time.Time
}

// NewBudget is the time from start to the function's timeout, less a reserve
// for the write that hands over. A deadline of ctx that comes earlier counts
// instead: the functions framework sets one only where it is told the timeout.
// A nil now is time.Now.
func NewBudget(ctx context.Context, start time.Time, timeout, reserve time.Duration, now func() time.Time) Budget {
	if now == nil {
		now = time.Now
	}
	end := start.Add(timeout)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(end) {
		end = deadline
	}
	return Budget{end: end.Add(-reserve), now: now}
}

// Left is the time that remains; negative when overrun.
func (b Budget) Left() time.Duration {
	if b.now == nil {
		return 0
	}
	return b.end.Sub(b.now())
}

// Yield is b for a step that begins nothing new once d has passed, while what it
// is at may use the rest. 0: as b.
func (b Budget) Yield(d time.Duration) Budget {
	if d > 0 && b.now != nil {
		b.yield = b.now().Add(d)
	}
	return b
}

// Covers reports whether another piece of work as long as d fits, with as much
// again to spare.
func (b Budget) Covers(d time.Duration) bool {
	if !b.yield.IsZero() && !b.now().Before(b.yield) {
		return false
	}
	return b.Left() > 2*d
}

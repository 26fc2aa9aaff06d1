package chunker

import (
	"context"
	"time"
)

// Budget is the time that a step may use. The zero Budget is spent.
//
// A spent budget is the normal end of a step, not an error.
type Budget struct {
	end   time.Time
	yield time.Time // nothing new begins after it; zero: no bound but end
	now   func() time.Time
}

// NewBudget returns the time from start to the function's timeout, less a reserve for
// the write that hands over. An earlier deadline of ctx replaces the timeout. The
// functions framework sets a deadline only if it is configured with the timeout. A nil
// now means time.Now.
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

// Left returns the remaining time; negative when overrun.
func (b Budget) Left() time.Duration {
	if b.now == nil {
		return 0
	}
	return b.end.Sub(b.now())
}

// Yield returns b for a step that begins nothing new once d has passed from now. Work
// in progress may use the rest. 0 returns b unchanged.
func (b Budget) Yield(d time.Duration) Budget {
	if d > 0 && b.now != nil {
		b.yield = b.now().Add(d)
	}
	return b
}

// fits reports whether work may still begin once d has passed from now.
func (b Budget) fits(d time.Duration) bool {
	if b.now == nil {
		return false
	}
	at := b.now().Add(d)
	return at.Before(b.end) && (b.yield.IsZero() || at.Before(b.yield))
}

// Covers reports whether work of duration d may begin: more than twice d is left, and
// the time of Yield has not passed.
func (b Budget) Covers(d time.Duration) bool {
	if !b.yield.IsZero() && !b.now().Before(b.yield) {
		return false
	}
	return b.Left() > 2*d
}

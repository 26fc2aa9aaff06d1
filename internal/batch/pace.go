package batch

import (
	"context"
	"math/rand/v2"
	"time"
)

// pacer sets the time between the starts of two batches of a key. A process cannot see
// how many other processes serve the same key. It sees only that documents changed
// between its plan and its commit. After such a batch, the pacer doubles the pace, up to
// a limit. After any other batch, it shortens the pace by an eighth. About one batch in
// six is then planned twice, for any number of processes. Batches grow with the pace, so
// the same calls need fewer batches.
//
// Measured with three processes and 10,000 follows at full speed: with a fixed pace, each
// batch was planned twice on average, and the database did twice the work.
type pacer struct{ least, now time.Duration }

// maxSlower is the maximum pace, as a multiple of the least.
const maxSlower = 8

// next returns the time from the start of a batch to the start of the next. contended
// reports contention in the batch before.
func (p *pacer) next(contended bool) time.Duration {
	if contended {
		p.now = min(2*p.now, maxSlower*p.least)
	} else {
		p.now = max(p.now*7/8, p.least)
	}
	return p.now
}

// Batch is the handle of a running batch. Its methods do nothing on a nil Batch, for the
// same work outside a batch. Only the goroutine of Run may call them.
type Batch struct {
	pace      time.Duration
	previous  time.Time // end of the previous batch of the key; zero: longer ago than the pace
	contended bool
	waited    bool // for its turn
}

// NoteContention notes that the batch was planned again, because another process had
// changed the documents that it read. The next batches start later.
func (b *Batch) NoteContention() {
	if b != nil {
		b.contended = true
	}
}

// AwaitTurn spaces out the batches of several processes that write the same documents. newest is when one of
// these documents was last updated; zero: there are none. If another process updated it less than the group's
// pace ago, AwaitTurn waits for about the rest of the pace, and returns true. The other process may then have
// run its next batch, with all earlier changes. AwaitTurn waits at most once in a batch. If ctx ends, it
// returns the cause.
//
// AwaitTurn compares the clock of the database with its own. If they differ, the wait is too short or too
// long, but never longer than 1.5 × pace.
func (b *Batch) AwaitTurn(ctx context.Context, newest time.Time) (waited bool, err error) {
	if b == nil || b.waited {
		return false, nil
	}
	wait := min(time.Until(newest.Add(b.pace)), b.pace)
	if wait <= 0 || !newest.After(b.previous) {
		return false, nil
	}
	b.waited = true
	select {
	case <-time.After(wait/2 + rand.N(wait)): //nolint:gosec // spreads batches, guards nothing
		return true, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

package relations

import (
	"context"
	"math/rand/v2"
	"time"
)

// pacer sets the time between the starts of two batches of a key. A process cannot see
// how many other processes serve the same author. It sees only that documents changed
// between its plan and its commit. After such a batch, the pacer doubles the pace, up to
// a limit. After any other batch, it shortens the pace by an eighth. About one batch in
// six is then planned twice, for any number of processes. Batches grow with the pace, so
// the same follows need fewer batches.
//
// Measured with three processes and 10,000 follows at full speed: with a fixed pace, each
// batch was planned twice on average, and the database did twice the work.
type pacer struct {
	least, now time.Duration
	crowded    bool      // tooFast was called since the last call of next
	ended      time.Time // end of the previous batch, if any
	waited     bool      // this batch has waited for its turn
}

// maxSlower is the maximum pace, as a multiple of the least.
const maxSlower = 8

// next returns the time from the start of a batch to the start of the next.
func (p *pacer) next() time.Duration {
	defer func() { p.crowded, p.waited = false, false }()
	if p.crowded {
		p.now = min(2*p.now, maxSlower*p.least)
	} else {
		p.now = max(p.now*7/8, p.least)
	}
	return p.now
}

type paceKey struct{}

// tooFast notes that the batch of ctx was planned again, because another process had
// changed the documents it read. Outside a batch, it does nothing.
func tooFast(ctx context.Context) {
	if p, ok := ctx.Value(paceKey{}).(*pacer); ok {
		p.crowded = true
	}
}

// awaitTurn spaces out the passes of several processes over the same relations. stale are
// the stale relations that a batch found. If another process wrote one of them less than
// pace ago, awaitTurn waits for about the rest of pace, and returns true. That process
// may then have made its next pass, which applies all earlier changes. awaitTurn waits at
// most once in a batch.
//
// It compares the clock of the database with its own. If they differ, the wait is too
// short or too long, but never longer than 1.5 × pace.
func awaitTurn(ctx context.Context, pace time.Duration, stale []relationMeta) (waited bool, err error) {
	p, ok := ctx.Value(paceKey{}).(*pacer)
	if !ok || p.waited || len(stale) == 0 {
		return false, nil
	}
	newest := stale[0].updated
	for _, r := range stale {
		if r.updated.After(newest) {
			newest = r.updated
		}
	}
	wait := min(time.Until(newest.Add(pace)), pace)
	if wait <= 0 || !newest.After(p.ended) {
		return false, nil
	}
	p.waited = true
	select {
	case <-time.After(wait/2 + rand.N(wait)): //nolint:gosec // spreads passes, guards nothing
		return true, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

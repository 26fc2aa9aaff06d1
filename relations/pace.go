package relations

import (
	"context"
	"math/rand/v2"
	"time"
)

// pacer is how fast the batches of a key follow each other. One process cannot
// see how many others serve the same author, only that what it planned on had
// changed when it committed. Each time, it leaves twice as much room for the
// others, up to a limit; each time it has not, a little less. About one batch in
// six is planned twice then, however many processes there are; and batches grow
// with the pace, so that the same follows take fewer of them.
//
// Measured with three processes and 10,000 follows, as fast as they come: at a
// fixed pace each batch was planned twice on average, and the database did twice
// the work.
type pacer struct {
	least, now time.Duration
	crowded    bool      // since the last call of next
	ended      time.Time // the batch before this one, if there was one
	waited     bool      // this batch has, for a turn
}

// maxSlower is how many times longer than its least a pace gets.
const maxSlower = 8

// next is the time from the start of a batch to the start of the next.
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

// tooFast notes that the batch which ctx belongs to had to plan again because
// another process had changed what it planned on. Outside a batch it does nothing.
func tooFast(ctx context.Context) {
	if p, ok := ctx.Value(paceKey{}).(*pacer); ok {
		p.crowded = true
	}
}

// awaitTurn keeps the pace of passes over the same relations among processes,
// for a batch that found some stale. Where another process has written them less
// than pace ago, it waits for the rest of that, and reports it: by then
// that process may have made its next pass, which carries every change before it.
//
// It goes by the clock of the database beside its own. If they differ, it waits
// for nothing or too short a time, never longer than pace.
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

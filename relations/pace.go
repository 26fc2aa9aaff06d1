package relations

import (
	"context"
	"sync/atomic"
	"time"
)

// pace is how fast the batches of a key follow each other. One process cannot
// see how many others serve the same author, only that what it planned on had
// changed when it committed. Each time, it leaves twice as much room for the
// others, up to a limit; each time it has not, a little less. About one batch in
// six is planned twice then, however many processes there are; and batches grow
// with the pace, so that the same follows take fewer of them.
//
// Measured with three processes and 10,000 follows, as fast as they come: at a
// fixed pace each batch was planned twice on average, and the database did twice
// the work.
type pace struct {
	least, now time.Duration
	crowded    atomic.Bool // since the last call of next
}

// maxSlower is how many times longer than its least a pace gets.
const maxSlower = 8

// next is the time from the start of a batch to the start of the next.
func (p *pace) next() time.Duration {
	if p.crowded.Swap(false) {
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
	if p, ok := ctx.Value(paceKey{}).(*pace); ok {
		p.crowded.Store(true)
	}
}

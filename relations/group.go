package relations

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/wire"
)

// group lets calls for one key share work: while a batch of a key runs, calls
// that come in wait and go into the next one together. A call returns when the
// batch that carried it has ended, so what it asked for is durable.
//
// Measured on the emulator, one transaction an event on one index document
// collapses at some hundred concurrent events; one transaction a batch does not.
type group[K comparable, V, R any] struct {
	// run does a batch and returns an outcome for each of its items: one that
	// cannot be done does not fail the others.
	run func(ctx context.Context, key K, batch []V) []outcome[R]
	// fits says whether next may join batch; nil: always.
	fits func(batch []V, next V) bool
	// pace is the shortest time between the starts of two batches of a key. A
	// single call does not wait; calls that follow each other faster share.
	// While batches of other processes are in the way, it is longer: see tooFast.
	pace time.Duration
	// timeout of one batch. It replaces the deadline of the calls it carries:
	// one of them giving up must not fail the others.
	timeout time.Duration
	logger  *slog.Logger // gets the stack of a batch that panics

	mu      sync.Mutex
	owed    wire.Counts         // what batches cost that no run was left to take
	waiting map[K][]*call[V, R] // a key is present while its batches run, and for the pace after
	ended   map[K]time.Time     // the last batch of a key that is no longer waiting, for the pace after
}

type call[V, R any] struct {
	item   V
	result chan outcome[R]
	meter  *wire.Meter // of the run that waits; nil: none, or it has ended
}

type outcome[R any] struct {
	value R
	err   error
}

// allFailed are the outcomes of n items that all failed for the same reason.
func allFailed[R any](n int, err error) []outcome[R] {
	return slices.Repeat([]outcome[R]{{err: err}}, n)
}

// do puts item into the next batch of key and waits for it, or for ctx. When
// ctx ends first, the batch goes on.
func (g *group[K, V, R]) do(ctx context.Context, key K, item V) (R, error) {
	c := &call[V, R]{item, make(chan outcome[R], 1), wire.MeterOf(ctx)}
	g.mu.Lock()
	if g.waiting == nil {
		g.waiting = map[K][]*call[V, R]{}
	}
	queue, running := g.waiting[key]
	g.waiting[key] = append(queue, c)
	g.mu.Unlock()
	if !running {
		go g.drain(context.WithoutCancel(ctx), key)
	}
	select {
	case out := <-c.result:
		return out.value, out.err
	case <-ctx.Done():
		g.mu.Lock()
		defer g.mu.Unlock()
		c.meter = nil
		var zero R
		return zero, ctx.Err()
	}
}

// drain runs batches until no call of key waits. It stays for the rest of the
// pace after the last, so that a call that comes then keeps it too.
func (g *group[K, V, R]) drain(ctx context.Context, key K) {
	p := pacer{least: g.pace, now: g.pace, ended: g.lastEnd(key)}
	ctx = context.WithValue(ctx, paceKey{}, &p)
	for {
		earliest := time.Now().Add(p.next())
		batch := g.next(key, p.ended)
		if len(batch) == 0 {
			return
		}
		items := make([]V, len(batch))
		for i, c := range batch {
			items[i] = c.item
		}
		metered, meter := wire.WithMeter(ctx)
		outcomes := g.guarded(metered, key, items)
		g.charge(batch, meter.Counts())
		for i, c := range batch {
			c.result <- outcomes[i]
		}
		p.ended = time.Now()
		time.Sleep(time.Until(earliest))
	}
}

// charge adds what a batch cost to the meters of the runs that wait for it, in
// equal parts, so that all runs together cost what the process did. What nobody
// is left to take goes to the next batch.
func (g *group[K, V, R]) charge(batch []*call[V, R], used wire.Counts) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var meters []*wire.Meter
	for _, c := range batch {
		if c.meter != nil {
			meters = append(meters, c.meter)
		}
	}
	if g.owed = g.owed.Plus(used); len(meters) > 0 {
		g.owed.Share(meters)
		g.owed = wire.Counts{}
	}
}

// lastEnd is when the last batch of key ended; zero if that is longer ago than
// the pace.
func (g *group[K, V, R]) lastEnd(key K) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended[key]
}

// remember keeps the end of key's last batch for the pace: what this process
// wrote itself is not in its way. The caller holds mu.
func (g *group[K, V, R]) remember(key K, ended time.Time) {
	if g.ended == nil {
		g.ended = map[K]time.Time{}
	}
	g.ended[key] = ended
	time.AfterFunc(g.pace, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.ended[key].Equal(ended) {
			delete(g.ended, key)
		}
	})
}

// next takes the longest batch that fits off the queue, and forgets the key
// when there is none; the batch before it, if there was one, ended then.
func (g *group[K, V, R]) next(key K, ended time.Time) []*call[V, R] {
	g.mu.Lock()
	defer g.mu.Unlock()
	queue := g.waiting[key]
	var items []V
	for _, c := range queue {
		if len(items) > 0 && g.fits != nil && !g.fits(items, c.item) {
			break
		}
		items = append(items, c.item)
	}
	if len(items) == 0 {
		delete(g.waiting, key)
		g.remember(key, ended)
		return nil
	}
	g.waiting[key] = queue[len(items):]
	return queue[:len(items):len(items)]
}

// guarded is run with the batch's timeout, and with a panic as an error: it
// happens on a goroutine that no framework watches.
func (g *group[K, V, R]) guarded(ctx context.Context, key K, items []V) (outcomes []outcome[R]) {
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	err := chunker.Guard(func() error {
		outcomes = g.run(ctx, key, items)
		return nil
	})
	if err != nil {
		chunker.LogPanic(ctx, g.logger, err)
		return allFailed[R](len(items), err)
	}
	return outcomes
}

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

// group lets calls for one key share work. While a batch of a key runs, new calls wait,
// and share the next batch. A call returns when its batch has ended, so its work is
// durable.
//
// Measured on the emulator: one transaction for each event on one index document
// collapses at some hundred concurrent events. One transaction for each batch does not.
type group[K comparable, V, R any] struct {
	// run executes a batch and returns an outcome for each item. An item that fails
	// does not fail the others.
	run func(ctx context.Context, key K, batch []V) []outcome[R]
	// fits reports whether next may join batch; nil: always.
	fits func(batch []V, next V) bool
	// pace is the shortest time between the starts of two batches of a key. A single
	// call does not wait. Calls in quick succession share a batch. The time is longer
	// while batches of other processes interfere: see tooFast.
	pace time.Duration
	// timeout limits one batch. It replaces the deadlines of its calls, so that one
	// cancelled call does not fail the others.
	timeout time.Duration
	logger  *slog.Logger // gets the stack of a batch that panics

	mu      sync.Mutex
	owed    wire.Counts         // cost of batches whose runs have all ended
	waiting map[K][]*call[V, R] // holds a key while its batches run, and for the pace after
	ended   map[K]time.Time     // when a key's last batch ended; kept for the pace after
}

type call[V, R any] struct {
	item   V
	result chan outcome[R]
	meter  *wire.Meter // of the waiting run; nil: no meter, or the run has ended
}

type outcome[R any] struct {
	value R
	err   error
}

// allFailed returns n outcomes with the same error.
func allFailed[R any](n int, err error) []outcome[R] {
	return slices.Repeat([]outcome[R]{{err: err}}, n)
}

// do adds item to the next batch of key, and waits for that batch or for ctx. If ctx
// ends first, the batch continues.
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

// drain runs batches until no call of key waits. After the last batch it stays for the
// rest of the pace, so that a call in that time keeps the pace too.
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

// charge adds the cost of a batch to the meters of the runs that wait for it, in equal
// parts. So the costs of all runs add up to that of the process. A cost without a run
// goes to the next batch.
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

// lastEnd returns when the last batch of key ended; zero if that is longer ago than the
// pace.
func (g *group[K, V, R]) lastEnd(key K) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended[key]
}

// remember keeps the end of key's last batch for the pace. So the process does not take
// its own writes for interference. The caller holds mu.
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

// next removes the longest batch that fits from the queue. If the queue is empty, next
// removes the key. ended is when the batch before ended, if there was one.
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

// guarded calls run with the batch's timeout, and turns a panic into an error. No
// framework recovers panics of this goroutine.
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

package batch

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
)

// Group lets calls for one key share work. While a batch of a key runs, new calls wait,
// and share the next batch. A call returns when its batch has ended, so its work is
// durable.
//
// Set the exported fields before the first call of Do. A Group is safe for concurrent
// use.
//
// Measured on the emulator: one transaction for each event on one index document
// collapses at some hundred concurrent events. One transaction for each batch does not.
type Group[K comparable, V, R any] struct {
	// Run executes a batch and returns an outcome for each item. An item that fails
	// does not fail the others. A panic fails all items.
	Run func(ctx context.Context, b *Batch, key K, items []V) []Outcome[R]
	// Fits reports whether next may join items; nil: always.
	Fits func(items []V, next V) bool
	// Pace is the shortest time between the starts of two batches of a key; 0: none. A
	// single call does not wait. Calls in quick succession share a batch. The time is
	// longer while other processes interfere: see [Batch.NoteContention].
	Pace time.Duration
	// Timeout limits one batch. It replaces the deadlines of its calls, so that one
	// cancelled call does not fail the others.
	Timeout time.Duration
	Logger  *slog.Logger // gets the stack of a batch that panics

	mu      sync.Mutex
	owed    wire.Counts         // cost of batches whose runs have all ended
	waiting map[K][]*call[V, R] // holds a key while its batches run, and for the pace after
	ended   map[K]time.Time     // when a key's last batch ended; kept for the pace after
}

type call[V, R any] struct {
	item   V
	result chan Outcome[R]
	meter  *wire.Meter // of the waiting run; nil: no meter, or the run has ended
}

// Outcome is the result of one item of a batch.
type Outcome[R any] struct {
	Value R
	Err   error
}

// AllFailed returns n outcomes with the same error.
func AllFailed[R any](n int, err error) []Outcome[R] {
	return slices.Repeat([]Outcome[R]{{Err: err}}, n)
}

// Do adds item to the next batch of key, and waits for that batch or for ctx. If ctx
// ends first, the batch continues.
func (g *Group[K, V, R]) Do(ctx context.Context, key K, item V) (R, error) {
	c := &call[V, R]{item, make(chan Outcome[R], 1), wire.MeterOf(ctx)}
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
		return out.Value, out.Err
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
func (g *Group[K, V, R]) drain(ctx context.Context, key K) {
	pace := pacer{least: g.Pace, now: g.Pace}
	ended := g.lastEnd(key)
	for contended := false; ; {
		earliest := time.Now().Add(pace.next(contended))
		calls := g.next(key, ended)
		if len(calls) == 0 {
			return
		}
		items := make([]V, len(calls))
		for i, c := range calls {
			items[i] = c.item
		}
		b := &Batch{pace: g.Pace, previous: ended}
		metered, meter := wire.WithMeter(ctx)
		outcomes := g.guarded(metered, b, key, items)
		g.charge(calls, meter.Counts())
		for i, c := range calls {
			c.result <- outcomes[i]
		}
		contended, ended = b.contended, time.Now()
		time.Sleep(time.Until(earliest))
	}
}

// charge adds the cost of a batch to the meters of the runs that wait for it, in equal
// parts. So the costs of all runs add up to the cost of the process. A cost without a run
// goes to the next batch.
func (g *Group[K, V, R]) charge(calls []*call[V, R], used wire.Counts) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var meters []*wire.Meter
	for _, c := range calls {
		if c.meter != nil {
			meters = append(meters, c.meter)
		}
	}
	if g.owed = g.owed.Plus(used); len(meters) > 0 {
		g.owed.Share(meters)
		g.owed = wire.Counts{}
	}
}

// lastEnd returns when the last batch of key ended; zero if that was longer ago than the pace.
func (g *Group[K, V, R]) lastEnd(key K) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended[key]
}

// remember keeps the end of key's last batch for the pace. So the process does not mistake its own writes for
// interference. The caller holds mu.
func (g *Group[K, V, R]) remember(key K, ended time.Time) {
	if g.ended == nil {
		g.ended = map[K]time.Time{}
	}
	g.ended[key] = ended
	time.AfterFunc(g.Pace, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.ended[key].Equal(ended) {
			delete(g.ended, key)
		}
	})
}

// next removes the longest batch that fits from the queue. If the queue is empty, next
// removes the key. ended is when the batch before ended, if there was one.
func (g *Group[K, V, R]) next(key K, ended time.Time) []*call[V, R] {
	g.mu.Lock()
	defer g.mu.Unlock()
	queue := g.waiting[key]
	var items []V
	for _, c := range queue {
		if len(items) > 0 && g.Fits != nil && !g.Fits(items, c.item) {
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

// guarded calls Run with the batch's timeout, and turns a panic into an error. No
// framework recovers panics of this goroutine.
func (g *Group[K, V, R]) guarded(ctx context.Context, b *Batch, key K, items []V) (outcomes []Outcome[R]) {
	ctx, cancel := context.WithTimeout(ctx, g.Timeout)
	defer cancel()
	err := chunker.Guard(func() error {
		outcomes = g.Run(ctx, b, key, items)
		return nil
	})
	if err != nil {
		chunker.LogPanic(ctx, g.Logger, err)
		return AllFailed[R](len(items), err)
	}
	return outcomes
}

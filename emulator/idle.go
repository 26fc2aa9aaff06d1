package emulator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// The pauses between two calls of Options.Busy double from the first to the last.
const (
	firstBusyPoll = 50 * time.Millisecond
	lastBusyPoll  = 500 * time.Millisecond
)

// Idle waits until nothing is left to do for the writes to a database before the call.
// Their events, and the events of the writes that functions made in turn, are delivered, and
// [Options.Busy] reports nothing. name is a [Name]; "": all databases. Idle may miss what
// a function does after its answer, and what others write during the call.
//
// If ctx ends first, the error is a [*NotIdleError], which wraps the context's error. It
// is [ErrUnknownProject] for a database without triggers, and [ErrEnded] or [ErrClosed]
// after the end of the emulator.
func (b *Broker) Idle(ctx context.Context, name string) error {
	if !b.hasDatabase(name) {
		return fmt.Errorf("idle: %q: %w", name, ErrUnknownProject)
	}
	both, cancel := b.withBroker(ctx)
	defer cancel()

	pause, seen := firstBusyPoll, int64(-1)
	for {
		events, err := b.drained(both, name)
		if err != nil {
			return b.notIdle(ctx, name, nil, false, err)
		}
		if events != seen { // there was progress: check again soon
			pause, seen = firstBusyPoll, events
		}
		// Before the barrier, so that all writes of the background work are before it too.
		busy, err := b.checkBusy(both, name)
		if err != nil {
			return b.notIdle(ctx, name, busy, false, err)
		}
		if len(busy) > 0 {
			if err := sleep(both, pause); err != nil {
				return b.notIdle(ctx, name, busy, false, err)
			}
			pause = min(2*pause, lastBusyPoll)
			continue
		}
		if err := b.barrier.cross(both); err != nil {
			return b.notIdle(ctx, name, nil, true, err)
		}
		// No event came between the drained queues and the barrier, so no function ran that
		// could have written after the barrier.
		if now, outstanding := b.work(name); now == events && outstanding == 0 {
			return nil
		}
	}
}

// withBroker returns a context that also ends with the broker. Its cause is then
// ErrClosed or ErrEnded.
func (b *Broker) withBroker(ctx context.Context) (context.Context, context.CancelFunc) {
	both, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(b.ctx, func() { cancel(context.Cause(b.ctx)) })
	return both, func() {
		stop()
		cancel(context.Canceled)
	}
}

// notIdle returns the error of a wait that ended with err: a NotIdleError if the caller's
// context ended, or the broker's end, or err.
func (b *Broker) notIdle(ctx context.Context, name string, busy map[string]string, barrier bool, err error) error {
	if ctx.Err() != nil {
		return &NotIdleError{Triggers: b.load(name), Busy: busy, Emulator: barrier, Err: ctx.Err()}
	}
	if gone := context.Cause(b.ctx); gone != nil { //nolint:contextcheck // the broker's end is another than the caller's
		return fmt.Errorf("idle: %w", gone)
	}
	return fmt.Errorf("idle: %w", err)
}

// drained waits until nothing is outstanding, and returns the number of events so far.
func (b *Broker) drained(ctx context.Context, name string) (events int64, err error) {
	for {
		changed := b.watch()
		events, outstanding := b.work(name)
		if outstanding == 0 {
			return events, context.Cause(ctx)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// work returns the accepted events and the outstanding deliveries.
func (b *Broker) work(name string) (events int64, outstanding int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.named(name) {
		events += d.stats.Events
		outstanding += d.outstanding
	}
	return events, outstanding
}

func (b *Broker) hasDatabase(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return name == "" || b.databases[name] != nil
}

// checkBusy calls Options.Busy for each database, and returns the answers of busy ones.
func (b *Broker) checkBusy(ctx context.Context, name string) (map[string]string, error) {
	names := []string{name}
	if name == "" {
		b.mu.Lock()
		names = slices.Sorted(maps.Keys(b.databases))
		b.mu.Unlock()
	}
	busy := make(map[string]string)
	var errs []error
	for _, name := range names {
		what, err := b.busy(ctx, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("ask whether %s is busy: %w", name, err))
		}
		if what != "" {
			busy[name] = what
		}
	}
	return busy, errors.Join(errs...)
}

// watch returns a channel that signal closes, when a database has nothing outstanding.
func (b *Broker) watch() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.changed
}

// signal closes the channel of watch. The caller holds mu.
func (b *Broker) signal() {
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// sleep waits for d, or returns why ctx ended.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

package emulator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// The waits between two questions to Options.Busy: they double from the first to the last.
const (
	firstBusyPoll = 50 * time.Millisecond
	lastBusyPoll  = 500 * time.Millisecond
)

// Idle waits until everything that was written to a database before the call has had its consequences: every event,
// and those of the writes that its function made, was delivered and taken, and [Options.Busy] knows of nothing else.
// It is named as by [Name]; "" waits for all databases at once. What a function does after it answered, and what others write meanwhile, may or may
// not be waited for.
//
// When ctx ends first the error is a [*NotIdleError], which wraps the context's error. It is [ErrUnknownProject] for a
// database without triggers, and [ErrEnded] or [ErrClosed] when the emulator is gone.
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
		if events != seen { // something went on since: ask soon
			pause, seen = firstBusyPoll, events
		}
		// Before the barrier: what the background work wrote until it was done is then before the barrier too.
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
		// No event came from when nothing was outstanding until the barrier came: so no function ran that could have
		// written behind the barrier.
		if now, outstanding := b.work(name); now == events && outstanding == 0 {
			return nil
		}
	}
}

// withBroker returns a context that ends with ctx, and with the broker: then its cause is ErrClosed or ErrEnded.
func (b *Broker) withBroker(ctx context.Context) (context.Context, context.CancelFunc) {
	both, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(b.ctx, func() { cancel(context.Cause(b.ctx)) })
	return both, func() {
		stop()
		cancel(context.Canceled)
	}
}

// notIdle is the error for a wait that err ended: what is not idle if the caller's context ended, that the emulator is
// gone if so, else err.
func (b *Broker) notIdle(ctx context.Context, name string, busy map[string]string, barrier bool, err error) error {
	if ctx.Err() != nil {
		return &NotIdleError{Triggers: b.load(name), Busy: busy, Emulator: barrier, Err: ctx.Err()}
	}
	if gone := context.Cause(b.ctx); gone != nil { //nolint:contextcheck // the broker's end is another than the caller's
		return fmt.Errorf("idle: %w", gone)
	}
	return fmt.Errorf("idle: %w", err)
}

// drained waits until nothing is outstanding and returns how many events had been accepted then.
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

// work returns how many events were accepted, and how many deliveries are outstanding.
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

// checkBusy calls Options.Busy for each database and returns the answers of those that are busy.
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

// watch returns a channel that is closed when next a database has nothing outstanding.
func (b *Broker) watch() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.changed
}

// signal wakes everyone who watches. The caller holds mu.
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

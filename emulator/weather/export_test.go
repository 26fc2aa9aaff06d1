package weather

import (
	"context"
	"time"
)

// SetClock replaces the clock. now may be called by several goroutines.
func (w *Weather) SetClock(now func() time.Time, sleep func(context.Context, time.Duration) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now, w.sleep, w.started = now, sleep, now()
}

// Draw returns a random time of a range.
func (w *Weather) Draw(r Range) time.Duration { return w.draw(r) }

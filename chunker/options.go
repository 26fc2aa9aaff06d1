package chunker

import (
	"cmp"
	"context"
	"log/slog"
	mathrand "math/rand/v2"
	"time"
)

// Defaults of Options.
const (
	DefaultCollection = "_functions"
	DefaultChunk      = 500
	DefaultLease      = time.Minute
	DefaultPatience   = 24 * time.Hour
)

// Options configure an Engine. The zero value is the default.
type Options struct {
	// Collection is the collection of job documents; "": DefaultCollection.
	Collection string
	// Chunk is the most documents of a page; 0: DefaultChunk.
	Chunk int
	// Lease is the time between a step's last sign of life and a takeover. It should outlast a step with its
	// longest page; a longer step must renew it. 0: DefaultLease.
	Lease time.Duration
	// MaxAttempts is the fewest failures in a row before a job fails for good; 0: 10.
	MaxAttempts int
	// Patience is the shortest time from the first of these failures to the last;
	// 0: DefaultPatience.
	Patience time.Duration
	// Grace is how long after a job's wakeAt Sweep first queues the job; 0: 10 seconds.
	Grace time.Duration
	// Turns is the most jobs of one owner and kind that the engine runs at once; 0: no limit. Other jobs wait
	// until a step of the owner ends and continues with the oldest. Turns need a composite index of kind,
	// owner, state and wakeAt.
	Turns int

	// Now returns the time; nil: time.Now.
	Now func() time.Time
	// Jitter returns the random part of a retry time, in [0, ceiling); nil: random.
	Jitter func(ceiling time.Duration) (d time.Duration)
	// Wait waits before a step repeats a page, and reports whether ctx lasted so long; nil:
	// by a timer.
	Wait func(ctx context.Context, d time.Duration) (waited bool)
	// Logger; nil: slog.Default().
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	o.Collection = cmp.Or(o.Collection, DefaultCollection)
	o.Chunk = cmp.Or(o.Chunk, DefaultChunk)
	o.Lease = cmp.Or(o.Lease, DefaultLease)
	o.MaxAttempts = cmp.Or(o.MaxAttempts, 10)
	o.Patience = cmp.Or(o.Patience, DefaultPatience)
	o.Grace = cmp.Or(o.Grace, 10*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = func(ceiling time.Duration) time.Duration { return mathrand.N(ceiling) } //nolint:gosec // spreads retries, guards nothing
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// Log attribute keys.
const (
	keyJob     = "job"
	keyKind    = "kind"
	keyState   = "state"
	keyAttempt = "attempt"
	keyRetry   = "retryAt"
	keyError   = "error"
	keyStack   = "stack"
)

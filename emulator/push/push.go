// Package push models the subscription that stands between events and a function in production: pauses, window and
// retention. It sends nothing.
package push

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Options configure the delivery of events to triggers. Each trigger has one subscription of
// its own. The zero value suits tests: it delivers up to the trigger's concurrency at once. It
// delivers a failed event again after [DefaultFirst] to [DefaultMax], for ever. [Production]
// returns the values of production.
type Options struct {
	// Retry is the pause of one event before its redelivery. Other events do not wait.
	Retry Backoff

	// Retention is the age at which an event that was not delivered is discarded: see
	// Stats.Expired of package emulator. 0: never.
	Retention time.Duration

	// Throttle is the pause of the whole subscription between two deliveries, while many
	// fail: First after one failure, up to Max when all fail. No answer within
	// the trigger's timeout is a failure too. The zero value never pauses.
	Throttle Backoff

	// Window is the most deliveries in flight at the start. Each success adds one, up to
	// 3,000; each failure halves it. It replaces the trigger's concurrency: limit the requests in
	// front of the function, such as with package instances. 0: no window.
	Window int

	// Scale multiplies each pause longer than a second, but never to less than a second. It
	// does not change Retention. 0 means 1.
	Scale float64
}

// Production returns the values of an Eventarc subscription. Retry and Retention are from
// cloud.google.com/eventarc/docs/retry-events, Throttle and the window from
// cloud.google.com/pubsub/docs/push. That page says "a small single-digit window size": 3
// is our choice.
func Production() Options {
	return Options{
		Retry:     Backoff{First: 20 * time.Second, Max: 600 * time.Second}, // 10 s to 20 s after one failure
		Retention: 24 * time.Hour,
		Throttle:  Backoff{First: 100 * time.Millisecond, Max: 60 * time.Second},
		Window:    3,
	}
}

// Validate joins an error for each rule that p breaks, as an option Push.
func (p Options) Validate() error {
	var errs []error
	errs = append(errs, p.Retry.withDefaults().validate("Push.Retry", p.Retry), p.Throttle.validate("Push.Throttle", p.Throttle))
	if p.Throttle.First == 0 && p.Throttle.Max > 0 {
		errs = append(errs, fmt.Errorf("Push.Throttle = 0s to %v: First must be above 0", p.Throttle.Max))
	}
	if p.Retention < 0 {
		errs = append(errs, fmt.Errorf("Push.Retention = %v: must not be negative", p.Retention))
	}
	if p.Window < 0 || p.Window > maxWindow {
		errs = append(errs, fmt.Errorf("Push.Window = %d: must be 0 (no window) to %d", p.Window, maxWindow))
	}
	if !(p.Scale >= 0) || math.IsInf(p.Scale, 0) { // or not a number
		errs = append(errs, fmt.Errorf("Push.Scale = %v: must be a finite number, 0 or more (0 means 1)", p.Scale))
	}
	return errors.Join(errs...)
}

// WithDefaults returns p with defaults, and scaled.
func (p Options) WithDefaults() Options {
	p.Retry = p.Retry.withDefaults()
	if p.Scale == 0 {
		p.Scale = 1
	}
	for _, d := range []*time.Duration{&p.Retry.First, &p.Retry.Max, &p.Throttle.First, &p.Throttle.Max} {
		if *d > time.Second {
			*d = max(time.Second, time.Duration(p.Scale*float64(*d)))
		}
	}
	p.Scale = 1
	return p
}

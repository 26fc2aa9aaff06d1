package emulator

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Push configures the delivery of events to triggers. Each trigger has one subscription of
// its own. The zero value suits tests: up to [Trigger.Concurrency] deliveries at once, a
// failed one again after [DefaultFirst] to [DefaultMax], for ever. [ProductionPush]
// returns the values of production.
type Push struct {
	// Retry is the pause of one event before its redelivery. Other events do not wait.
	Retry Backoff

	// Retention is the age at which an event that was not delivered is discarded: see
	// [Stats.Expired]. 0: never.
	Retention time.Duration

	// Throttle is the pause of the whole subscription between two deliveries, while many
	// fail: First after one failure, up to Max when all fail. No answer within
	// [Trigger.Timeout] is a failure too. The zero value never pauses.
	Throttle Backoff

	// Window is the most deliveries in flight at the start. Each success adds one, up to
	// 3,000; each failure halves it. It replaces Trigger.Concurrency: limit the requests in
	// front of the function, such as with package instances. 0: no window.
	Window int

	// Scale multiplies each pause longer than a second, but never to less than a second. It
	// does not change Retention. 0 means 1.
	Scale float64
}

// ProductionPush returns the values of an Eventarc subscription. Retry and Retention are from
// cloud.google.com/eventarc/docs/retry-events, Throttle and the window from
// cloud.google.com/pubsub/docs/push. That page says "a small single-digit window size": 3
// is our choice.
func ProductionPush() Push {
	return Push{
		Retry:     Backoff{First: 20 * time.Second, Max: 600 * time.Second}, // 10 s to 20 s after one failure
		Retention: 24 * time.Hour,
		Throttle:  Backoff{First: 100 * time.Millisecond, Max: 60 * time.Second},
		Window:    3,
	}
}

// maxWindow is the size at which production's window stops growing exponentially. Production
// returns to it while answers take more than a second or fewer than 99 % succeed.
const maxWindow = 3000

// decay is the factor by which a success reduces the level. It reproduces the two examples
// of Pub/Sub's page: about 500 ms between deliveries when one of five fails, and 30 s to
// 60 s when all fail.
const decay = 0.92

// paced is the level at which pauses begin: one failure just now.
const paced = 0.99

func (p Push) validate() error {
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

// withDefaults returns p with defaults, and scaled.
func (p Push) withDefaults() Push {
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

// flow limits the deliveries of a subscription: when the next may start, and how many may be
// in flight. Broker.mu guards it.
type flow struct {
	Push
	window   int
	level    float64   // recent failures; from paced on, the subscription pauses between deliveries
	answered time.Time // the last answer
	started  time.Time // the last delivery
}

func newFlow(p Push) flow { return flow{Push: p, window: p.Window} }

// limit returns the most deliveries in flight.
func (f *flow) limit(concurrency int) int {
	if f.Window == 0 {
		return concurrency
	}
	return f.window
}

// answer records the result of a delivery.
func (f *flow) answer(ok bool, now time.Time) {
	f.level = f.levelAt(now)
	f.answered = now
	if ok {
		f.window = min(f.window+1, maxWindow)
		f.level *= decay
		return
	}
	f.window = max(f.window/2, 1)
	if f.Throttle.Max > 0 {
		f.level = min(f.level+1, 1+math.Log2(float64(f.Throttle.Max)/float64(f.Throttle.First)))
	}
}

// levelAt returns the level at a time. Each Throttle.Max without an answer lowers it by one,
// so a single event that always fails does not slow the others for long.
func (f *flow) levelAt(now time.Time) float64 {
	if f.level == 0 {
		return 0
	}
	return max(0, f.level-float64(now.Sub(f.answered))/float64(f.Throttle.Max))
}

// wait returns the time until the next delivery may start. The pause between deliveries
// doubles with each level.
func (f *flow) wait(now time.Time) time.Duration {
	level := f.levelAt(now)
	if level < paced {
		return 0
	}
	pause := time.Duration(float64(f.Throttle.First) * math.Exp2(level-1))
	return max(0, pause-now.Sub(f.started))
}

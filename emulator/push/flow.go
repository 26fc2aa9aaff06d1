package push

import (
	"math"
	"time"
)

// maxWindow is the size at which production's window stops growing exponentially. Production
// returns to it while answers take more than a second or fewer than 99 % succeed.
const maxWindow = 3000

// decay is the factor by which a success reduces the level. It reproduces the two examples
// of Pub/Sub's page: about 500 ms between deliveries when one of five fails, and 30 s to
// 60 s when all fail.
const decay = 0.92

// paced is the level at which pauses begin: one failure just now.
const paced = 0.99

// Flow limits the deliveries of a subscription: when the next may start, and how many may be in flight. It is not safe for
// concurrent use.
type Flow struct {
	Options
	window   int
	level    float64   // recent failures; from paced on, the subscription pauses between deliveries
	answered time.Time // the last answer
	started  time.Time // the last delivery
}

// New returns the flow of a new subscription. o has its defaults filled in.
func New(o Options) Flow { return Flow{Options: o, window: o.Window} }

// Limit returns the most deliveries in flight.
func (f *Flow) Limit(concurrency int) int {
	if f.Window == 0 {
		return concurrency
	}
	return f.window
}

// Answer records the result of a delivery.
func (f *Flow) Answer(ok bool, now time.Time) {
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
func (f *Flow) levelAt(now time.Time) float64 {
	if f.level == 0 {
		return 0
	}
	return max(0, f.level-float64(now.Sub(f.answered))/float64(f.Throttle.Max))
}

// Wait returns the time until the next delivery may start. The pause between deliveries
// doubles with each level.
func (f *Flow) Wait(now time.Time) time.Duration {
	level := f.levelAt(now)
	if level < paced {
		return 0
	}
	pause := time.Duration(float64(f.Throttle.First) * math.Exp2(level-1))
	return max(0, pause-now.Sub(f.started))
}

// Start records the start of a delivery.
func (f *Flow) Start(now time.Time) { f.started = now }

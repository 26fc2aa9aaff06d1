package instances

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Options are what all services have in common. The zero value starts instances at once,
// keeps them for ever, and answers 429 after DefaultPending.
type Options struct {
	// ColdStart is the time until a new instance takes its first request.
	ColdStart time.Duration

	// Pending is the longest that a request waits for room; 0: DefaultPending. It is at
	// least 3.5 times ColdStart.
	Pending time.Duration

	// Idle is the time without a request after which an instance goes; 0: never.
	Idle time.Duration

	// Scale multiplies each wait above a second, which stays at least a second. With 0.1,
	// waits are ten times shorter. 0 is 1: as they are.
	Scale float64
}

// DefaultPending is Cloud Run's, for services that start in less than 3 seconds:
// docs.cloud.google.com/run/docs/about-instance-autoscaling.
const DefaultPending = 10 * time.Second

// pendingStarts is how many times its start a request of a slow service waits, by the same page.
const pendingStarts = 3.5

// Production returns what Cloud Run does: Pending and Idle are from
// docs.cloud.google.com/run/docs/about-instance-autoscaling. Google publishes no time of a
// cold start: 2 s is an assumption, for a program in Go with its clients.
func Production() Options {
	return Options{ColdStart: 2 * time.Second, Idle: 15 * time.Minute}
}

// Validate joins an error for each rule that o breaks.
func (o Options) Validate() error {
	var errs []error
	for name, d := range map[string]time.Duration{"ColdStart": o.ColdStart, "Pending": o.Pending, "Idle": o.Idle} {
		if d < 0 {
			errs = append(errs, fmt.Errorf("%s = %v: must not be negative", name, d))
		}
	}
	if !(o.Scale >= 0) || math.IsInf(o.Scale, 0) { // or not a number
		errs = append(errs, fmt.Errorf("option Scale = %v: must be 0 (as 1) or more", o.Scale))
	}
	return errors.Join(errs...)
}

// withDefaults returns o as it is used: with defaults, and scaled.
func (o Options) withDefaults() Options {
	if o.Pending == 0 {
		o.Pending = DefaultPending
	}
	if o.Scale == 0 {
		o.Scale = 1
	}
	for _, d := range []*time.Duration{&o.ColdStart, &o.Pending, &o.Idle} {
		if *d > time.Second {
			*d = max(time.Second, time.Duration(o.Scale*float64(*d)))
		}
	}
	o.Pending = max(o.Pending, time.Duration(pendingStarts*float64(o.ColdStart)))
	o.Scale = 1
	return o
}

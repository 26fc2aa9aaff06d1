package instances

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Options configure services. The zero value starts instances at once, keeps them for ever,
// and answers 429 after DefaultPending.
type Options struct {
	// ColdStart is the time until a new instance takes its first request.
	ColdStart time.Duration

	// Minimum is the number of instances that the first request starts, that Stop replaces
	// at once, and that Idle leaves. The service's maximum limits it. 0: none.
	Minimum int

	// Pending is the longest time that a request waits for room; 0: DefaultPending. A
	// request waits for at least 3.5 times ColdStart.
	Pending time.Duration

	// Idle is the time without a request after which an instance is removed; 0: never.
	Idle time.Duration

	// Scale multiplies each time longer than a second, but never to less than a second. 0
	// means 1.
	Scale float64
}

// DefaultPending is Cloud Run's value for services that start in less than 3 seconds:
// docs.cloud.google.com/run/docs/about-instance-autoscaling.
const DefaultPending = 10 * time.Second

// pendingStarts is the number of cold starts that a request of a slow service waits, by the
// same page.
const pendingStarts = 3.5

// Production returns the values of Cloud Run. Pending and Idle are from
// docs.cloud.google.com/run/docs/about-instance-autoscaling. Google publishes no duration of
// a cold start: 2 s is our assumption for a Go program that opens its clients.
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
	if o.Minimum < 0 {
		errs = append(errs, fmt.Errorf("%s = %d: must not be negative", "Minimum", o.Minimum))
	}
	if !(o.Scale >= 0) || math.IsInf(o.Scale, 0) { // or not a number
		errs = append(errs, fmt.Errorf("%s = %v: must be a finite number, 0 or more (0 means 1)", "Scale", o.Scale))
	}
	return errors.Join(errs...)
}

// withDefaults returns o with defaults, and scaled.
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

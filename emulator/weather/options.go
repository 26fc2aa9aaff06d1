package weather

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Options configure the weather. The zero value of a model turns it off.
type Options struct {
	Latency    Latency
	Contention Contention
	// Building is the time that all composite indexes build after the start. Scaled. See [Weather.Build].
	Building time.Duration
	Spells   Spells
	Ramp     Ramp
	TTL      TTL

	// Scale multiplies the times that say "Scaled"; 0 means 1, as in production. Rates, latencies and waits for locks and
	// turns keep their values: the machine is not faster either.
	Scale float64

	// Seed starts the random numbers of latencies and failures. A run with concurrent calls repeats only roughly: their
	// order and the clock matter too.
	Seed uint64
}

// Latency is the time added to each call, before the call is sent.
type Latency struct {
	// Read is added to a call without writes: a lookup, a query, a listener's target, the begin of a transaction.
	Read Range
	// Commit is added to a call with writes.
	Commit Range
	// Entry is added to Commit for each index entry that the call removes or adds. If it is above 0, each document is
	// read before it is written, unless the guard has read it.
	Entry time.Duration
}

// Range is a log-normal distribution: 1 % is shorter than From, 1 % is longer than To, and the median is their geometric
// mean. The zero value adds no time.
type Range struct{ From, To time.Duration }

// Contention limits the rate of writes to a document, and the time that a commit waits for locks.
type Contention struct {
	// Rate is the number of sustained writes a second to one document; 0: no limit.
	Rate float64
	// Burst is the number of writes to a document that may come at once before Rate applies; 0: 1.
	Burst int
	// Wait is the longest time that a commit waits for its turn by Rate, and after that for a lock of a transaction. A
	// commit that would wait longer for its turn is aborted at once. 0: no wait for a turn, and the emulator's 2 s for a
	// lock.
	Wait time.Duration
}

// Spells are bursts of errors: after each Pause, a share of all calls fails for Length. The error alternates: UNAVAILABLE in
// the first burst, RESOURCE_EXHAUSTED in the next.
type Spells struct {
	Share  float64       // of the calls during a burst that fail, 0 to 1; 0: no bursts
	Length time.Duration // of a burst. Scaled
	Pause  time.Duration // before each burst. Scaled
}

// Ramp limits the writes to all collections of one id in a database: Rate a second at first; each Step multiplies it by
// 1 + Growth. Firestore's rule is 500/50/5.
type Ramp struct {
	Rate   float64       // writes a second; 0: no limit
	Growth float64       // 0.5 is 50 % more
	Step   time.Duration // Scaled
	// Wait is the longest time that a commit waits for its turn. A commit that would wait longer fails at once.
	Wait time.Duration
}

// TTL deletes documents whose field with "ttl": true is past: see [Weather.DeleteExpired].
type TTL struct {
	// Delay is the time from the value of the field until the document may be deleted. [Weather.RunTTL] deletes 24 times in
	// each Delay. 0: nothing is deleted. Scaled.
	Delay time.Duration
}

// Production returns the weather of a Standard edition database in one region at a bad time. Each number is from Google's
// documentation, from a measurement, or an estimate at the bad end: docs/weather.md says which.
func Production() Options {
	return Options{
		Latency: Latency{
			Read:   Range{2 * time.Millisecond, 20 * time.Millisecond},
			Commit: Range{10 * time.Millisecond, 60 * time.Millisecond},
			Entry:  50 * time.Microsecond,
		},
		Contention: Contention{Rate: 1, Burst: 60, Wait: 20 * time.Second},
		Building:   3 * time.Minute,
		Spells:     Spells{Share: 0.5, Length: 20 * time.Second, Pause: 10 * time.Minute},
		Ramp:       Ramp{Rate: 500, Growth: 0.5, Step: 5 * time.Minute, Wait: 10 * time.Second},
		TTL:        TTL{Delay: 24 * time.Hour},
	}
}

// Validate joins an error for each rule that o breaks. Each names the option, its value and the rule.
func (o Options) Validate() error {
	var errs []error
	for _, t := range []struct {
		name string
		time time.Duration
	}{
		{"Latency.Entry", o.Latency.Entry}, {"Contention.Wait", o.Contention.Wait}, {"Building", o.Building},
		{"Spells.Length", o.Spells.Length}, {"Spells.Pause", o.Spells.Pause},
		{"Ramp.Step", o.Ramp.Step}, {"Ramp.Wait", o.Ramp.Wait}, {"TTL.Delay", o.TTL.Delay},
	} {
		if t.time < 0 {
			errs = append(errs, fmt.Errorf("%s = %v: must not be negative", t.name, t.time))
		}
	}
	for _, n := range []struct {
		name   string
		number float64
		zero   string // what 0 means, if the name does not say it
	}{
		{"Contention.Rate", o.Contention.Rate, ""}, {"Contention.Burst", float64(o.Contention.Burst), ""},
		{"Ramp.Rate", o.Ramp.Rate, ""}, {"Ramp.Growth", o.Ramp.Growth, ""}, {"Scale", o.Scale, " (0 means 1)"},
	} {
		if !(n.number >= 0) || math.IsInf(n.number, 1) { // NaN is neither
			errs = append(errs, fmt.Errorf("%s = %v: must be a finite number, 0 or more%s", n.name, n.number, n.zero))
		}
	}
	for _, r := range []struct {
		name string
		Range
	}{{"Latency.Read", o.Latency.Read}, {"Latency.Commit", o.Latency.Commit}} {
		if r.Range != (Range{}) && (r.From <= 0 || r.To < r.From) {
			errs = append(errs, fmt.Errorf("%s = %v to %v: From must be above 0, and To not shorter than From", r.name, r.From, r.To))
		}
	}
	if !(o.Spells.Share >= 0 && o.Spells.Share <= 1) {
		errs = append(errs, fmt.Errorf("Spells.Share = %v: must be 0 to 1", o.Spells.Share))
	}
	if o.Spells.Share > 0 && o.Spells.Length <= 0 {
		errs = append(errs, fmt.Errorf("Spells.Length = %v: must be above 0 if Spells.Share is", o.Spells.Length))
	}
	if o.Ramp.Growth > 0 && o.Ramp.Step <= 0 {
		errs = append(errs, fmt.Errorf("Ramp.Step = %v: must be above 0 if Ramp.Growth is", o.Ramp.Step))
	}
	return errors.Join(errs...)
}

// scaled returns o with its times multiplied by Scale, and without a Scale.
func (o Options) scaled() Options {
	if o.Scale == 0 {
		return o
	}
	for _, t := range []*time.Duration{&o.Building, &o.Spells.Length, &o.Spells.Pause, &o.Ramp.Step, &o.TTL.Delay} {
		if *t > 0 {
			*t = max(1, time.Duration(float64(*t)*o.Scale)) // 0 would be off
		}
	}
	o.Scale = 0
	return o
}

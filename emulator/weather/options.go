package weather

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Options say what the weather is like. The zero value of each model is off.
type Options struct {
	Latency    Latency
	Contention Contention
	// Building is how long all composite indexes build from the start on. Scaled. See [Weather.Build].
	Building time.Duration
	Spells   Spells
	Ramp     Ramp
	TTL      TTL

	// Scale multiplies the times that say "Scaled", so that nobody waits for hours; 0: 1, as production. It leaves out
	// rates, latencies and waits for locks: the CPU that works meanwhile is not scaled either.
	Scale float64

	// Seed chooses latencies and the calls that fail. The same calls in the same order meet the same weather.
	Seed uint64
}

// Latency is the time that a call takes longer than on the emulator.
type Latency struct {
	// Read is that of a lookup, of the first answer of a query, and of beginning a transaction.
	Read Range
	// Commit is that of a commit, without its index entries.
	Commit Range
	// Entry is for each index entry that a commit removes or adds. If it is set, each document is read before
	// it is written, unless the guard has done so.
	Entry time.Duration
}

// Range is a log-normal distribution: 1 % is shorter than From, 1 % longer than To. So the median is the geometric mean. The
// zero value is no time.
type Range struct{ From, To time.Duration }

// Contention is what happens to documents that are locked, or written too often.
type Contention struct {
	// Rate is how many writes a second a document takes for long; 0: any number.
	Rate float64
	// Burst is how many writes it takes at once before Rate holds; 0: 1.
	Burst int
	// Wait is the longest time that a write waits, for a lock that a transaction has, or for its turn by Rate.
	// Then it is aborted. 0: it does not wait by Rate, and for a lock as long as the emulator waits, 2 s.
	Wait time.Duration
}

// Spells are times in which a share of all calls fails, by turns with UNAVAILABLE and RESOURCE_EXHAUSTED.
type Spells struct {
	Share  float64       // of calls that fail in a spell, 0 to 1; 0: no spells
	Length time.Duration // of a spell. Scaled
	Pause  time.Duration // before each spell. Scaled
}

// Ramp is the number of writes that the collections of an id take: Rate a second from the first write on, and Growth as many
// more after each Step, which is the rule 500/50/5.
type Ramp struct {
	Rate   float64       // 0: any number
	Growth float64       // 0.5 is half as many more
	Step   time.Duration // Scaled
	// Wait is the longest time that a commit waits for its turn. Then it fails.
	Wait time.Duration
}

// TTL deletes documents whose field with "ttl": true is past: see [Weather.DeleteExpired].
type TTL struct {
	Delay time.Duration // from the time in the field to the deletion, in rounds of a 24th of it; 0: nothing is deleted. Scaled
}

// Production is the weather of a database of the Standard edition in one region, in which much goes wrong: each number is one
// that a document states, or an estimate at the bad end. docs/weather.md says which.
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
	}{
		{"Contention.Rate", o.Contention.Rate}, {"Contention.Burst", float64(o.Contention.Burst)},
		{"Ramp.Rate", o.Ramp.Rate}, {"Ramp.Growth", o.Ramp.Growth}, {"Scale", o.Scale},
	} {
		if !(n.number >= 0) || math.IsInf(n.number, 1) { // NaN is neither
			errs = append(errs, fmt.Errorf("%s = %v: must be 0 or more", n.name, n.number))
		}
	}
	for _, r := range []struct {
		name string
		Range
	}{{"Latency.Read", o.Latency.Read}, {"Latency.Commit", o.Latency.Commit}} {
		if r.Range != (Range{}) && (r.From <= 0 || r.To < r.From) {
			errs = append(errs, fmt.Errorf("%s = %v to %v: must be a time above 0, to one that is not shorter", r.name, r.From, r.To))
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

// scaled returns o with the times that are scaled, and without a Scale.
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

package emulator

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// Chaos is a plan of deliveries for a bad day, as shares of 0 to 1. The zero value delivers everything once and at once.
//
// The decisions for an event are those of its trigger, its document, and how many events this document had before at this
// trigger: the same writes meet the same decisions whenever the seed is the same, in whatever project. The times at which
// the functions run are not decided by it.
type Chaos struct {
	// Duplicate is the share of events that are delivered twice: the second time at least 5 ms after the first is due, so
	// that the twins overlap or the second comes late.
	Duplicate float64

	// Reorder is the share of events that are held back, so that later ones overtake them.
	Reorder float64

	// Drop is the share of deliveries that get lost on their first attempt, and come after the back-off: see Delivery.
	// Each of two twins is a delivery.
	Drop float64

	// Delay is the longest wait of an event that is held back, and of a second delivery behind the first; 0 is
	// DefaultDelay. Alone it does nothing.
	Delay time.Duration

	// Seed chooses which.
	Seed uint64
}

const (
	// DefaultDelay is the longest wait that Chaos makes if nothing else is said.
	DefaultDelay = 200 * time.Millisecond

	// minTwinDelay is the shortest wait between two deliveries of an event: time for the first to get to work.
	minTwinDelay = 5 * time.Millisecond
)

// Validate returns every rule that c breaks, joined; each error names the field, its value and the rule.
func (c Chaos) Validate() error {
	var errs []error
	for name, share := range map[string]float64{"Chaos.Duplicate": c.Duplicate, "Chaos.Reorder": c.Reorder, "Chaos.Drop": c.Drop} {
		if !isShare(share) {
			errs = append(errs, fmt.Errorf("%s = %v: %w", name, share, errNotShare))
		}
	}
	if c.Delay < 0 {
		errs = append(errs, fmt.Errorf("%s = %v: %w", "Chaos.Delay", c.Delay, errNotDelay))
	}
	return errors.Join(errs...)
}

// Plan returns a function for [Options.Plan]. It counts the events of each document that it is asked about, in 16 bytes or
// so for each; another call of Plan counts anew. It may be called by several goroutines at once.
func (c Chaos) Plan() func(Event) []Delivery {
	var mu sync.Mutex
	before := map[uint64]uint64{} // events so far, by what they are of
	return func(e Event) []Delivery {
		of := hash(e.Project, e.Database, e.Trigger, e.Document)
		mu.Lock()
		n := before[of]
		before[of]++
		mu.Unlock()
		return c.deliveries(e, n)
	}
}

// deliveries decides about the event that is the n-th of its document and trigger, from 0. It takes every random number
// whether it needs it or not, so that a rate changes nothing but what it is the rate of.
func (c Chaos) deliveries(e Event, n uint64) []Delivery {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], n)
	random := rand.New(rand.NewPCG(c.Seed, hash(e.Trigger, e.Document, string(number[:])))) //nolint:gosec // is to be repeatable
	picked := func(share float64) bool { return random.Float64() < share }
	delay := c.Delay
	if delay == 0 {
		delay = DefaultDelay
	}
	duplicate, reorder := picked(c.Duplicate), picked(c.Reorder)
	held, behind := random.Float64(), random.Float64()
	first, second := Delivery{Drop: picked(c.Drop)}, Delivery{Drop: picked(c.Drop)}
	if reorder {
		first.After = time.Duration(held * float64(delay))
	}
	if !duplicate {
		return []Delivery{first}
	}
	second.After = first.After + max(minTwinDelay, time.Duration(behind*float64(delay)))
	return []Delivery{first, second}
}

// hash is the same in every process.
func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = io.WriteString(h, p) // never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

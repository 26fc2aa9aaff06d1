// Package chaos plans the deliveries of a bad day: duplicates, delays, another order, lost
// attempts and lost events. Give [Rates.Plan] to the emulator as [emulator.Options].Plan. The same
// seed repeats the same decisions.
//
// It changes deliveries only. It does not fail Firestore's calls, and it does not kill
// functions.
package chaos

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"example.com/relationindex/emulator"
)

// Rates are shares of events, 0 to 1, one for each kind of trouble. The zero value
// delivers every event once and at once.
//
// The decisions for an event depend on the seed, its trigger, its document, and how many
// events of the document the trigger had before. So the same writes meet the same
// decisions in any project. The times at which functions run are not decided.
type Rates struct {
	// Duplicate is the share of events that are delivered twice. The second delivery is
	// due at least 5 ms after the first, so that the two overlap or the second is late.
	Duplicate float64

	// Reorder is the share of events that are held back, so that later ones overtake
	// them.
	Reorder float64

	// Drop is the share of deliveries that lose their first attempt, and come after the
	// back-off: see [emulator.Attempt]. A duplicated event has two deliveries.
	Drop float64

	// Lose is the share of events that are never delivered.
	Lose float64

	// Delay is the longest wait of an event that is held back, and of a second delivery
	// after the first; 0: DefaultDelay. Alone it does nothing.
	Delay time.Duration

	// Seed chooses the events.
	Seed uint64
}

const (
	// DefaultDelay is the longest wait if Rates.Delay is 0.
	DefaultDelay = 200 * time.Millisecond

	// minTwinDelay is the shortest wait between two deliveries of an event, so that the
	// first begins its work.
	minTwinDelay = 5 * time.Millisecond
)

// Validate joins an error for each rule that r breaks. Each names the field, the value
// and the rule.
func (r Rates) Validate() error {
	var errs []error
	for name, share := range map[string]float64{"Chaos.Duplicate": r.Duplicate, "Chaos.Reorder": r.Reorder, "Chaos.Drop": r.Drop, "Chaos.Lose": r.Lose} {
		if !isShare(share) {
			errs = append(errs, fmt.Errorf("%s = %v: %w", name, share, errNotShare))
		}
	}
	if r.Delay < 0 {
		errs = append(errs, fmt.Errorf("%s = %v: %w", "Chaos.Delay", r.Delay, errNotDelay))
	}
	return errors.Join(errs...)
}

// Plan returns a function for [emulator.Options].Plan, which is safe for concurrent use.
// It counts the events of each document, in about 16 bytes for each. Another call of
// Plan starts new counts.
func (r Rates) Plan() func(emulator.Event) []emulator.Attempt {
	var mu sync.Mutex
	before := map[uint64]uint64{} // events so far, by the hash of their document and trigger
	return func(e emulator.Event) []emulator.Attempt {
		of := hash(e.Project, e.Database, e.Trigger, e.Document)
		mu.Lock()
		n := before[of]
		before[of]++
		mu.Unlock()
		return r.deliveries(e, n)
	}
}

// deliveries decides about the n-th event, from 0, of a document and trigger. It always
// takes every random number, so that a rate does not change the decisions of another.
func (r Rates) deliveries(e emulator.Event, n uint64) []emulator.Attempt {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], n)
	random := rand.New(rand.NewPCG(r.Seed, hash(e.Trigger, e.Document, string(number[:])))) //nolint:gosec // must be repeatable
	picked := func(share float64) bool { return random.Float64() < share }
	delay := r.Delay
	if delay == 0 {
		delay = DefaultDelay
	}
	duplicate, reorder := picked(r.Duplicate), picked(r.Reorder)
	held, behind := random.Float64(), random.Float64()
	first, second := emulator.Attempt{Drop: picked(r.Drop)}, emulator.Attempt{Drop: picked(r.Drop)}
	if picked(r.Lose) {
		return []emulator.Attempt{{Lose: true}}
	}
	if reorder {
		first.After = time.Duration(held * float64(delay))
	}
	if !duplicate {
		return []emulator.Attempt{first}
	}
	second.After = first.After + max(minTwinDelay, time.Duration(behind*float64(delay)))
	return []emulator.Attempt{first, second}
}

// hash returns the same value in every process.
func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = io.WriteString(h, p) // never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

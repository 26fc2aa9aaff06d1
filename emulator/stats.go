package emulator

import (
	"iter"
	"maps"
	"slices"
)

// Stats counts the broker's work for a database since it started. The last three are the
// current numbers; their sum is the outstanding deliveries.
type Stats struct {
	Events       int64 // accepted from the emulator, one per trigger
	Deliveries   int64 // attempts to deliver, redeliveries and duplicates included
	Redeliveries int64 // attempts after the first of a delivery
	Duplicates   int64 // deliveries that Options.Plan added to the first of an event
	Dropped      int64 // attempts that Options.Plan kept from the function
	Lost         int64 // deliveries that Options.Plan lost for good
	Failures     int64 // attempts without an answer of 2xx in time, dropped ones included
	Expired      int64 // deliveries that were discarded after Push.Retention
	TooLarge     int64 // events that were lost, because production delivers none of their size; not among Events

	Queued   int // deliveries that start as soon as the trigger's concurrency, or Push.Window and Push.Throttle, allow
	InFlight int // deliveries at a function
	Waiting  int // deliveries that wait for their planned time or their redelivery
}

// Stats returns the counts of a database at one moment. name is a [Name]; "": the sum of
// all databases. A database without triggers has only zeros.
func (b *Broker) Stats(name string) Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	var sum Stats
	for _, d := range b.named(name) {
		sum.Events += d.stats.Events
		sum.Deliveries += d.stats.Deliveries
		sum.Redeliveries += d.stats.Redeliveries
		sum.Duplicates += d.stats.Duplicates
		sum.Dropped += d.stats.Dropped
		sum.Lost += d.stats.Lost
		sum.Failures += d.stats.Failures
		sum.Expired += d.stats.Expired
		sum.TooLarge += d.stats.TooLarge
		for _, q := range d.queues {
			sum.Queued += q.queued.len()
			sum.InFlight += q.inFlight
			sum.Waiting += len(q.waiting)
		}
	}
	return sum
}

// load lists the triggers with outstanding deliveries.
func (b *Broker) load(name string) []TriggerLoad {
	b.mu.Lock()
	defer b.mu.Unlock()
	var load []TriggerLoad
	for n, d := range b.named(name) {
		for _, trigger := range slices.Sorted(maps.Keys(d.queues)) {
			q := d.queues[trigger]
			t := TriggerLoad{Project: n, Trigger: trigger, Queued: q.queued.len(), InFlight: q.inFlight, Waiting: len(q.waiting)}
			if t.Queued+t.InFlight+t.Waiting > 0 {
				load = append(load, t)
			}
		}
	}
	return load
}

// named returns the databases of a [Name], or all for "", sorted. The caller holds mu.
func (b *Broker) named(name string) iter.Seq2[string, *database] {
	return func(yield func(string, *database) bool) {
		for _, n := range slices.Sorted(maps.Keys(b.databases)) {
			if (name == "" || name == n) && !yield(n, b.databases[n]) {
				return
			}
		}
	}
}

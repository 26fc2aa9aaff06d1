package emulator

import (
	"maps"
	"slices"
)

// Stats counts what the broker did for a project since it started. The last three are numbers of now; their sum is
// what is outstanding.
type Stats struct {
	Events       int64 // accepted from the emulator, one per trigger
	Deliveries   int64 // attempts to deliver, redeliveries and duplicates included
	Redeliveries int64 // attempts after the first of a delivery
	Duplicates   int64 // deliveries that Options.Plan added to the first of an event
	Dropped      int64 // attempts that Options.Plan kept from the function
	Failures     int64 // attempts without an answer of 2xx in time, those dropped included
	Malformed    int64 // requests to a trigger that were not an event; refused

	Queued   int // deliveries that start as soon as the trigger's concurrency allows
	InFlight int // deliveries at a function
	Waiting  int // deliveries that wait for their planned time or their redelivery
}

// Stats returns the counts of a project, or the sum over all of them for "". They are consistent with each other. A
// project without triggers has only zeros.
func (b *Broker) Stats(project string) Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	var sum Stats
	for id, p := range b.projects {
		if project != "" && project != id {
			continue
		}
		sum.Events += p.stats.Events
		sum.Deliveries += p.stats.Deliveries
		sum.Redeliveries += p.stats.Redeliveries
		sum.Duplicates += p.stats.Duplicates
		sum.Dropped += p.stats.Dropped
		sum.Failures += p.stats.Failures
		sum.Malformed += p.stats.Malformed
		for _, q := range p.queues {
			sum.Queued += q.queued.len()
			sum.InFlight += q.inFlight
			sum.Waiting += len(q.waiting)
		}
	}
	return sum
}

// load lists the triggers that have something outstanding.
func (b *Broker) load(project string) []TriggerLoad {
	b.mu.Lock()
	defer b.mu.Unlock()
	var load []TriggerLoad
	for _, id := range sortedKeys(b.projects) {
		if project != "" && project != id {
			continue
		}
		for _, name := range sortedKeys(b.projects[id].queues) {
			q := b.projects[id].queues[name]
			t := TriggerLoad{Project: id, Trigger: name, Queued: q.queued.len(), InFlight: q.inFlight, Waiting: len(q.waiting)}
			if t.Queued+t.InFlight+t.Waiting > 0 {
				load = append(load, t)
			}
		}
	}
	return load
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

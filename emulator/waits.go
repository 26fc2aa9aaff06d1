package emulator

import "time"

// Waits measures deliveries from their event to their success. It is zero before the
// first success.
type Waits struct {
	// Longest is the longest time, with redeliveries and planned delays.
	Longest time.Duration

	// Overtaken is the largest number of later deliveries of a trigger that succeeded before
	// an earlier one. In a fair queue it stays below a few times the trigger's concurrency.
	Overtaken int64
}

// Waits returns the maxima over the triggers of a database so far. name is a [Name]; "":
// all databases.
func (b *Broker) Waits(name string) Waits {
	b.mu.Lock()
	defer b.mu.Unlock()
	var most Waits
	for _, d := range b.named(name) {
		for _, q := range d.queues {
			most.Longest = max(most.Longest, q.waits.Longest)
			most.Overtaken = max(most.Overtaken, q.waits.Overtaken)
		}
	}
	return most
}

// backlog is the state of a trigger's queue when an event comes.
type backlog struct {
	at    time.Time
	ahead int64 // earlier deliveries without success so far
	taken int64 // earlier deliveries with success
}

// arrives stores the backlog in d. The caller holds mu, and adds d afterwards.
func (q *queue) arrives(d *delivery) {
	d.found = backlog{at: time.Now(), ahead: int64(q.queued.len() + q.inFlight + len(q.waiting)), taken: q.taken}
}

// took records the success of d. The caller holds mu.
func (q *queue) took(d *delivery) {
	q.waits.Longest = max(q.waits.Longest, time.Since(d.found.at))
	q.waits.Overtaken = max(q.waits.Overtaken, q.taken-d.found.taken-d.found.ahead)
	q.taken++
}

// Pauses returns the longest pause of each subscription of a database since the last call,
// by trigger. Subscriptions that did not pause are missing. See Push.Throttle. name is a
// [Name]; "": all databases.
func (b *Broker) Pauses(name string) map[string]time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	pauses := map[string]time.Duration{}
	for _, d := range b.named(name) {
		for trigger, q := range d.queues {
			if q.pause > 0 {
				pauses[trigger] = max(pauses[trigger], q.pause)
			}
			q.pause = 0
		}
	}
	return pauses
}

package emulator

import "time"

// Waits tells how long deliveries took from their event until a function took them. It is zero while none was taken.
type Waits struct {
	// Longest is the longest of them, redeliveries and planned delays included.
	Longest time.Duration

	// Overtaken is the most deliveries that came to a trigger after one and were taken before it. The backlog that one
	// finds does not count, however long it takes: a queue that is fair stays below a few times the trigger's
	// concurrency, and an event that starves does not.
	Overtaken int64
}

// Waits returns the waits of the triggers of a database, named as by [Name], so far; "" stands for all databases.
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

// backlog is what a delivery finds when its event comes.
type backlog struct {
	at    time.Time
	ahead int64 // deliveries of its trigger that came before it and are not taken
	taken int64 // those that are
}

// arrives notes what d finds. The caller holds mu, and adds d after it.
func (q *queue) arrives(d *delivery) {
	d.found = backlog{at: time.Now(), ahead: int64(q.queued.len() + q.inFlight + len(q.waiting)), taken: q.taken}
}

// took notes that a function took d. The caller holds mu.
func (q *queue) took(d *delivery) {
	q.waits.Longest = max(q.waits.Longest, time.Since(d.found.at))
	q.waits.Overtaken = max(q.waits.Overtaken, q.taken-d.found.taken-d.found.ahead)
	q.taken++
}

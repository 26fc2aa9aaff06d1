package emulator

import "time"

// queue has the outstanding deliveries of one trigger. Everything in it is guarded by Broker.mu.
//
// A delivery is queued, then in flight, then done; or it waits for its planned time or its redelivery, and is queued
// again. A waiting one holds no place among the deliveries in flight.
type queue struct {
	broker   *Broker
	database *database
	trigger  Trigger // defaults filled in
	queued   fifo
	inFlight int
	waiting  map[*delivery]*time.Timer
	taken    int64 // deliveries that a function took
	waits    Waits
}

// delivery is one planned delivery of one event, with its redeliveries.
type delivery struct {
	message *message
	drop    bool // the first attempt gets lost
	attempt int  // attempts made
	found   backlog
}

// dropped says whether the attempt under way gets lost before it reaches the function.
func (d *delivery) dropped() bool { return d.drop && d.attempt == 1 }

// add takes a planned delivery. It is outstanding from here on until an attempt succeeds.
func (q *queue) add(d *delivery, delay time.Duration) {
	q.arrives(d)
	q.database.outstanding++
	if delay > 0 {
		q.wait(d, delay)
		return
	}
	q.push(d)
}

// push queues d.
func (q *queue) push(d *delivery) {
	q.queued.push(d)
	q.start()
}

// start gives what is queued to new workers, as far as the trigger allows. So there are as many workers as deliveries
// in flight.
func (q *queue) start() {
	for q.inFlight < q.trigger.Concurrency && q.queued.len() > 0 {
		d := q.queued.pop()
		q.inFlight++
		q.broker.workers.Go(func() { q.work(d) })
	}
}

// wait pushes d after the delay.
func (q *queue) wait(d *delivery, delay time.Duration) {
	q.waiting[d] = time.AfterFunc(delay, func() {
		q.broker.mu.Lock()
		defer q.broker.mu.Unlock()
		if q.broker.closed {
			return
		}
		delete(q.waiting, d)
		q.push(d)
	})
}

// work delivers d and then what is queued, until nothing is or the broker closes.
func (q *queue) work(d *delivery) {
	for d != nil {
		q.broker.mu.Lock()
		trigger := q.trigger
		d.attempt++
		q.database.stats.Deliveries++
		if d.attempt > 1 {
			q.database.stats.Redeliveries++
		}
		if d.dropped() {
			q.database.stats.Dropped++
		}
		q.broker.mu.Unlock()

		ok := q.broker.attempt(trigger, d)
		d = q.next(d, ok)
	}
}

// next records how the attempt of d ended and returns what this worker delivers next, or nil.
func (q *queue) next(d *delivery, ok bool) *delivery {
	b := q.broker
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		q.inFlight--
		return nil
	}
	if ok {
		q.took(d)
		q.database.outstanding--
		if q.database.outstanding == 0 {
			b.signal()
		}
	} else {
		q.database.stats.Failures++
		q.wait(d, b.backoff.delay(d.attempt, b.random()))
	}
	if q.inFlight <= q.trigger.Concurrency { // fewer may be allowed since the trigger was registered anew
		if following := q.queued.pop(); following != nil {
			return following
		}
	}
	q.inFlight--
	return nil
}

// stop forgets what has not been sent.
func (q *queue) stop() {
	for d, timer := range q.waiting {
		timer.Stop()
		delete(q.waiting, d)
	}
	q.queued = fifo{}
}

// fifo is a first-in first-out queue without a bound.
type fifo struct {
	items []*delivery
	head  int // items before it are gone
}

func (f *fifo) len() int { return len(f.items) - f.head }

func (f *fifo) push(d *delivery) { f.items = append(f.items, d) }

func (f *fifo) pop() *delivery {
	if f.len() == 0 {
		return nil
	}
	d := f.items[f.head]
	f.items[f.head] = nil
	f.head++
	if f.head > len(f.items)/2 { // moves each item at most once on average
		n := copy(f.items, f.items[f.head:])
		clear(f.items[n:]) // or they would stay in memory
		f.items, f.head = f.items[:n], 0
	}
	return d
}

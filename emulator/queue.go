package emulator

import "time"

// queue has the outstanding deliveries of one trigger. Broker.mu guards all its fields.
//
// A delivery is queued, then in flight, then done. After a failure, or before its planned
// time, it waits, and is queued again. A waiting delivery does not count as in flight.
type queue struct {
	broker   *Broker
	database *database
	trigger  Trigger // defaults filled in
	queued   fifo
	inFlight int
	waiting  map[*delivery]*time.Timer
	taken    int64 // deliveries with success
	waits    Waits
}

// delivery is one planned delivery of one event, with its redeliveries.
type delivery struct {
	message *message
	drop    bool // the first attempt fails
	attempt int  // attempts made
	found   backlog
}

// dropped reports whether the current attempt must fail before it reaches the function.
func (d *delivery) dropped() bool { return d.drop && d.attempt == 1 }

// add adds a planned delivery, which is outstanding until an attempt succeeds.
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

// start starts workers for queued deliveries, up to the trigger's concurrency. There is one
// worker for each delivery in flight.
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

// work delivers d, then queued deliveries, until there are none or the broker closes.
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

// next records the result of an attempt, and returns the worker's next delivery or nil.
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
	if q.inFlight <= q.trigger.Concurrency { // a new registration may have lowered it
		if following := q.queued.pop(); following != nil {
			return following
		}
	}
	q.inFlight--
	return nil
}

// stop drops all deliveries that are not in flight.
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

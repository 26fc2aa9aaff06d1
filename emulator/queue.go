package emulator

import (
	"log/slog"
	"time"

	"example.com/relationindex/emulator/push"
)

// queue has the outstanding deliveries of one trigger. Broker.mu guards all its fields.
//
// A delivery is queued, then in flight, then done. After a failure, or before its planned
// time, it waits, and is queued again. A waiting delivery does not count as in flight. A
// queued delivery that is too old is discarded.
type queue struct {
	broker   *Broker
	database *database
	trigger  Trigger // defaults filled in
	queued   fifo
	inFlight int
	waiting  map[*delivery]*time.Timer
	flow     push.Flow
	paused   *time.Timer   // calls start after the last pause of the subscription; nil: it never paused
	pause    time.Duration // the longest since Broker.Pauses was called
	taken    int64         // deliveries with success
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

// start starts queued deliveries, as many as the subscription allows now. If it is paused,
// start is called again after the pause.
func (q *queue) start() {
	for q.inFlight < q.flow.Limit(q.trigger.Concurrency) && q.queued.len() > 0 {
		now := time.Now()
		if pause := q.flow.Wait(now); pause > 0 {
			q.pause = max(q.pause, pause)
			q.resume(pause)
			return
		}
		d := q.queued.pop()
		if q.expired(d, now) {
			q.discard(d)
			continue
		}
		q.flow.Start(now)
		q.inFlight++
		q.broker.workers.Go(func() { q.work(d) })
	}
}

// resume calls start after the delay. It cancels an earlier call of resume.
func (q *queue) resume(delay time.Duration) {
	if q.paused != nil {
		q.paused.Stop()
	}
	q.paused = time.AfterFunc(delay, func() {
		q.broker.mu.Lock()
		defer q.broker.mu.Unlock()
		if !q.broker.closed {
			q.start()
		}
	})
}

func (q *queue) expired(d *delivery, now time.Time) bool {
	return q.flow.Retention > 0 && now.Sub(d.found.at) >= q.flow.Retention
}

// discard gives up on d, as production does without a dead-letter topic.
func (q *queue) discard(d *delivery) {
	q.database.stats.Expired++
	q.done()
	e, trigger, attempt := d.message.event, q.trigger.Name, d.attempt
	q.broker.workers.Go(func() { // without the lock
		q.broker.log.LogAttrs(q.broker.ctx, slog.LevelError, "event lost: it was not delivered before it expired",
			slog.String(keyProject, Name(e.Project, e.Database)), slog.String(keyTrigger, trigger),
			slog.String(keyEvent, e.ID), slog.String(keyDocument, e.Document), slog.Int(keyAttempt, attempt))
	})
}

// done removes one outstanding delivery.
func (q *queue) done() {
	q.database.outstanding--
	if q.database.outstanding == 0 {
		q.broker.signal()
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

// work delivers d once.
func (q *queue) work(d *delivery) {
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
	q.answered(d, q.broker.attempt(trigger, d))
}

// answered records the result of an attempt, and starts what may start now.
func (q *queue) answered(d *delivery, ok bool) {
	b := q.broker
	b.mu.Lock()
	defer b.mu.Unlock()
	q.inFlight--
	if b.closed {
		return
	}
	now := time.Now()
	q.flow.Answer(ok, now)
	if ok {
		q.took(d)
		q.done()
	} else {
		q.database.stats.Failures++
		pause := q.flow.Retry.Delay(d.attempt, b.random())
		if q.flow.Retention > 0 { // start discards it when its retention ends
			pause = min(pause, max(0, q.flow.Retention-now.Sub(d.found.at)))
		}
		q.wait(d, pause)
	}
	q.start()
}

// stop drops all deliveries that are not in flight.
func (q *queue) stop() {
	for d, timer := range q.waiting {
		timer.Stop()
		delete(q.waiting, d)
	}
	if q.paused != nil {
		q.paused.Stop()
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

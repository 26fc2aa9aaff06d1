package site

import (
	"context"
	"strings"
	"sync"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/wire"
)

// Action is everything from the first event after the system was idle until the system is idle again, with
// its cost. If one person clicks, an action is a follow or a post with all its consequences. Acts of several
// people at once are one action, and so is everything while a job is unfinished.
type Action struct {
	ID int64     `json:"id"` // ascending, from 1
	At time.Time `json:"at"` // of the first event

	// What has the first events that clients caused, in their order: at most maxWhat. It has no events of
	// jobs, and none of documents that the functions have written themselves. More is the number of
	// further events by clients.
	What []Cause `json:"what"`
	More int64   `json:"more"`

	Events      int64 `json:"events"`      // of all triggers
	Invocations int64 `json:"invocations"` // of functions by events, redeliveries and duplicates included

	// The operations of the functions for these events, as Firestore bills them. Operations of clients, of
	// Sweep and of Feed are left out.
	Reads   int64 `json:"reads"`
	Writes  int64 `json:"writes"`
	Deletes int64 `json:"deletes"`

	DurationMs int64 `json:"durationMs"` // from the first event to the last call of a function
	Done       bool  `json:"done"`       // false: it may still grow
}

// Cause is an event that a client caused.
type Cause struct {
	Function string          `json:"function"`
	Document string          `json:"document"`
	Change   emulator.Change `json:"change"`
}

const (
	maxActions   = 50
	maxWhat      = 5
	refreshPause = 200 * time.Millisecond // between two updates of an action that grows
)

// Actions holds the last actions of a system. It derives them from the system's events and from the calls of its functions: see
// [Actions.Observe] and [Actions.Interceptor].
type Actions struct {
	name   string // of the database
	stats  func() emulator.Stats
	idle   func(context.Context) error
	calls  *calls
	ctx    context.Context // ends with close
	cancel context.CancelFunc
	watch  sync.WaitGroup // of the open action

	mu       sync.Mutex
	log      []entry       // at most maxActions, ordered by id
	revision int64         // grows with each change of an entry
	changed  chan struct{} // closed by the next change
	opened   struct {      // the counts at the first event of the open action
		is     bool
		counts wire.Counts
		stats  emulator.Stats
	}
	lastEvent time.Time
}

// entry is an action, with the revision of its last change.
type entry struct {
	Action
	revision int64
}

// NewActions returns the actions of a database, which name gives as an [emulator.Name]. stats returns the counts of its events
// and deliveries, and idle waits until it is idle. Close ends the actions.
func NewActions(name string, stats func() emulator.Stats, idle func(context.Context) error) *Actions {
	a := &Actions{name: name, stats: stats, idle: idle, calls: &calls{}, changed: make(chan struct{})}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// Close ends the watch of an open action, and the streams.
func (a *Actions) Close() error {
	a.mu.Lock()
	a.cancel() // no action opens after this
	a.mu.Unlock()
	a.watch.Wait()
	return nil
}

// Interceptor counts what the functions do for events. It must come before all other interceptors of their proxy.
func (a *Actions) Interceptor() wire.Interceptor { return a.calls.interceptor() }

// Observe records an event before its delivery, when nothing that the functions do for it is counted yet.
func (a *Actions) Observe(e emulator.Event) {
	if emulator.Name(e.Project, e.Database) != a.name {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctx.Err() != nil {
		return
	}
	a.lastEvent = time.Now()
	if !a.opened.is {
		a.open()
	}
	current := a.current()
	current.Events++
	if strings.HasPrefix(e.Document, chunker.DefaultCollection+"/") || a.calls.mayBeOurs(e.Document) {
		return
	}
	if len(current.What) == maxWhat {
		current.More++
		return
	}
	current.What = append(current.What, Cause{e.Trigger, e.Document, e.Change})
	a.touch()
}

// open begins an action. The functions are idle, so all earlier counts belong to earlier actions. The caller
// holds mu, and calls touch.
func (a *Actions) open() {
	a.calls.reset()
	a.opened.is, a.opened.counts, a.opened.stats = true, a.calls.meter.Counts(), a.stats()
	id := int64(1)
	if n := len(a.log); n > 0 {
		id = a.current().ID + 1
	}
	if len(a.log) == maxActions {
		a.log = append(a.log[:0:0], a.log[1:]...)
	}
	a.log = append(a.log, entry{Action: Action{ID: id, At: a.lastEvent, What: []Cause{}}})
	a.touch()
	a.watch.Go(a.untilIdle)
}

// current returns the open action, or the last one.
func (a *Actions) current() *entry { return &a.log[len(a.log)-1] }

// touch records that the current action has changed, and wakes the streams. The caller holds mu.
func (a *Actions) touch() {
	a.revision++
	a.current().revision = a.revision
	close(a.changed)
	a.changed = make(chan struct{})
}

// untilIdle keeps the open action up to date until it is done. If a wait fails, untilIdle waits again: other
// code decides whether the system has ended.
func (a *Actions) untilIdle() {
	tick := time.NewTicker(refreshPause)
	defer tick.Stop()
	for a.ctx.Err() == nil {
		seen := a.count()
		idle := make(chan error, 1)
		go func() { idle <- a.idle(a.ctx) }()
		for waiting := true; waiting; {
			select {
			case <-tick.C:
				a.count()
			case err := <-idle:
				if err == nil && a.finish(seen) {
					return
				}
				waiting = false
				if err != nil {
					<-tick.C
				}
			}
		}
	}
}

// count updates the numbers of the open action, and returns the number of its events.
func (a *Actions) count() (events int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.measure() {
		a.touch()
	}
	return a.current().Events
}

// finish ends the open action, unless it has more events than seen. The functions' work for a later event may
// not be counted yet.
func (a *Actions) finish(seen int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.current().Events != seen {
		return false
	}
	a.measure()
	a.current().Done, a.opened.is = true, false
	a.touch()
	return true
}

// measure updates the numbers of the open action, and reports whether they changed. The caller holds mu.
func (a *Actions) measure() bool {
	current := a.current()
	before := current.Reads + current.Writes + current.Deletes + current.Invocations
	used, now := a.calls.meter.Counts().Minus(a.opened.counts), a.stats()
	current.Reads, current.Writes, current.Deletes = used.Reads, used.Writes, used.Deletes
	current.Invocations = now.Deliveries - now.Dropped - a.opened.stats.Deliveries + a.opened.stats.Dropped
	if last := a.calls.lastAt(); last.After(a.lastEvent) {
		current.DurationMs = last.Sub(current.At).Milliseconds()
	} else {
		current.DurationMs = a.lastEvent.Sub(current.At).Milliseconds()
	}
	return before != current.Reads+current.Writes+current.Deletes+current.Invocations
}

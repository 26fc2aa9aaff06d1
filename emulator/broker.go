package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/relationindex/emulator/push"
)

// Broker does for functions on this machine what Eventarc does in production. It accepts
// every event from the emulator at once, and delivers it until the function answers 2xx,
// or Push.Retention has passed.
// It is safe for concurrent use.
type Broker struct {
	firestore *rest
	client    *http.Client // to the functions
	log       *slog.Logger
	busy      func(context.Context, string) (string, error)
	plan      func(Event) []Attempt
	observe   func(Event)
	push      push.Options
	random    func() float64 // in [0, 1)
	barrier   *barrier

	ctx     context.Context // of the deliveries; ends with stop
	cancel  context.CancelCauseFunc
	workers sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	databases map[string]*database // by Name
	changed   chan struct{}        // made by watch, closed by signal
}

// database is the broker's state of one database.
type database struct {
	queues      map[string]*queue // by trigger
	outstanding int               // deliveries without success so far
	stats       Stats             // without the current numbers
}

// newBroker returns a broker for the emulator behind firestore, without triggers. o has
// its defaults filled in.
func newBroker(o Options, firestore *rest) *Broker {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Broker{
		firestore: firestore,
		client:    newClient(),
		log:       o.Logger,
		busy:      o.Busy,
		plan:      o.Plan,
		observe:   o.Observe,
		push:      o.Push,
		random:    rand.Float64,
		barrier:   newBarrier(firestore),
		ctx:       ctx,
		cancel:    cancel,
		databases: make(map[string]*database),
	}
}

// Register registers triggers of a project's databases, at the emulator and here. Changes
// of documents before it returns may have no event. A trigger replaces an earlier one of
// the same name and database, for queued events too. After an error, the triggers before
// the one that the error names are registered.
func (b *Broker) Register(ctx context.Context, project string, triggers ...Trigger) error {
	if project == "" || strings.Contains(project, "/") || project == barrierProject {
		return fmt.Errorf("project = %q: must be a project id other than %s", project, barrierProject)
	}
	var errs []error
	for _, t := range triggers {
		errs = append(errs, t.Validate())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("register in %s: %w", project, err)
	}
	for _, t := range triggers {
		// First, because an event may arrive before the emulator has answered.
		b.add(Name(project, t.Database), t.withDefaults()) //nolint:contextcheck // deliveries outlive the registration
		if err := b.firestore.register(ctx, project, t); err != nil {
			return fmt.Errorf("register trigger %s in %s: %w", t.Name, project, err)
		}
	}
	return nil
}

func (b *Broker) add(name string, t Trigger) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.databases[name]
	if d == nil {
		d = &database{queues: make(map[string]*queue)}
		b.databases[name] = d
	}
	if q := d.queues[t.Name]; q != nil {
		q.trigger = t
		if !b.closed {
			q.start() // if more may be in flight now
		}
		return
	}
	d.queues[t.Name] = &queue{broker: b, database: d, trigger: t, waiting: make(map[*delivery]*time.Timer), flow: push.New(b.push)}
}

// maxEventBytes is the largest request that the broker accepts. Both values of a document
// of 1 MiB are 2.7 MiB in base64.
const maxEventBytes = 4 << 20

// maxDeliveredBytes is the largest event that production delivers: Eventarc's quota of
// 512 KiB, which its publish API enforces to the byte. Nothing documents that larger
// events of Firestore are lost.
const maxDeliveredBytes = 524_288

// serveEvent accepts one event from the emulator, which sends the next one only after the
// answer. A duplicate request counts as another event.
func (b *Broker) serveEvent(w http.ResponseWriter, r *http.Request) {
	trigger, id, _ := strings.Cut(r.PathValue("trigger"), "@") // see Trigger.id
	name := Name(r.PathValue("project"), id)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEventBytes))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		b.reject(w, r, http.StatusRequestEntityTooLarge, err)
		return
	}
	if err != nil {
		b.reject(w, r, http.StatusBadRequest, err)
		return
	}
	m, data, err := repair(r.Header, body)
	if errors.Is(err, errNoChange) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if err != nil {
		b.reject(w, r, http.StatusBadRequest, err)
		return
	}
	m.event.Trigger = trigger
	if name == barrierProject {
		b.barrier.arrived(data)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	// An event of another database would be counted there, and Idle for this one would
	// miss it.
	for _, of := range []string{Name(m.event.Project, m.event.Database), Name(cmp.Or(r.Header.Get("Ce-Project"), m.event.Project), cmp.Or(r.Header.Get("Ce-Database"), m.event.Database))} {
		if of != name && b.registered(name, trigger) {
			b.reject(w, r, http.StatusBadRequest, fmt.Errorf("event of database %q at a trigger of %q", of, name))
			return
		}
	}
	switch err := b.accept(name, trigger, m); {
	case errors.Is(err, ErrClosed):
		b.reject(w, r, http.StatusServiceUnavailable, err)
	case err != nil:
		b.reject(w, r, http.StatusNotFound, err)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// accept queues the deliveries of an event. It only logs an event that is too large for
// production.
func (b *Broker) accept(name, trigger string, m *message) error {
	if !b.registered(name, trigger) {
		return errors.New("no such trigger")
	}
	if len(m.body) > maxDeliveredBytes {
		b.dropTooLarge(name, m)
		return nil
	}
	b.observe(m.event)
	planned := b.plan(m.event)
	if len(planned) == 0 {
		planned = []Attempt{{}}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrClosed
	}
	d := b.databases[name]
	d.stats.Events++
	d.stats.Duplicates += int64(len(planned) - 1)
	for _, plan := range planned {
		if plan.Lose {
			d.stats.Lost++
			continue
		}
		d.queues[trigger].add(&delivery{message: m, drop: plan.Drop}, plan.After)
	}
	return nil
}

func (b *Broker) dropTooLarge(name string, m *message) {
	b.mu.Lock()
	b.databases[name].stats.TooLarge++
	b.mu.Unlock()
	b.log.LogAttrs(b.ctx, slog.LevelError, "event lost: it is larger than production delivers",
		slog.String(keyProject, name), slog.String(keyTrigger, m.event.Trigger), slog.String(keyEvent, m.event.ID),
		slog.String(keyDocument, m.event.Document), slog.Int(keyBytes, len(m.body)), slog.Int(keyLimit, maxDeliveredBytes))
}

// registered reports whether a trigger was registered. No trigger is ever removed.
func (b *Broker) registered(name, trigger string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.databases[name]
	return d != nil && d.queues[trigger] != nil
}

// reject answers the emulator and logs. The emulator never sends the event again.
func (b *Broker) reject(w http.ResponseWriter, r *http.Request, status int, err error) {
	b.log.LogAttrs(r.Context(), slog.LevelError, "event rejected",
		slog.String(keyProject, r.PathValue("project")), slog.String(keyTrigger, r.PathValue("trigger")),
		slog.String(keyEvent, r.Header.Get("Ce-Id")), slog.Int(keyStatus, status), slog.Any(keyError, err))
	http.Error(w, err.Error(), status)
}

// stop ends every delivery, drops queued deliveries, and waits for its goroutines. Idle
// returns cause from now on. You may call stop twice.
func (b *Broker) stop(cause error) {
	b.mu.Lock()
	if !b.closed {
		b.closed = true
		for _, d := range b.databases {
			for _, q := range d.queues {
				q.stop()
			}
		}
	}
	b.mu.Unlock()
	b.cancel(cause)
	b.workers.Wait()
	b.client.CloseIdleConnections()
}

package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc"

	"example.com/relationindex"
	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/oracle"
)

// world is one database, the clients that write to it, and what they must see.
type world struct {
	suite   Suite
	t       *testing.T
	project string
	guard   *guard.Guard
	client  *firestore.Client // of processes that nothing disturbs
	clients *firestore.Client // of readers and authors; what it writes is in history
	meter   wire.Meter        // of client
	opened  atomic.Int64      // processes

	// Since the database was empty:
	model     *model
	history   *oracle.History
	later     []event // of what functions delete with an account
	disturbed []*firestore.Client
}

// newWorld returns an empty database. Of all that a case needs, it costs most: see pool.
func newWorld(ctx context.Context, t *testing.T, s Suite) (*world, error) {
	indexes := s.Indexes
	if indexes == nil {
		indexes = relationindex.FirestoreIndexes
	}
	g, err := guard.Parse(indexes)
	if err != nil {
		return nil, err
	}
	g.Limits = nil // they read before each write, and these documents are small
	w := &world{suite: s, t: t, project: testkit.ProjectID(t), guard: g, model: newModel(), history: &oracle.History{}}
	// They outlive the test.
	if w.client, err = w.open(context.WithoutCancel(ctx), w.meter.Interceptor()); err != nil {
		return nil, err
	}
	record := wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		return testkit.Record(w.history).Unary(ctx, method, req, reply, cc, invoke, opts...) // of this case
	}}
	w.clients, err = w.open(context.WithoutCancel(ctx), record)
	return w, err
}

// open opens a client. The guard is behind what breaks calls: it sees what reaches the
// emulator.
func (w *world) open(ctx context.Context, interceptors ...wire.Interceptor) (*firestore.Client, error) {
	guarded := wire.Interceptor{Unary: w.guard.Unary, Stream: w.guard.Stream}
	return wire.Open(ctx, w.project, testkit.Machine(w.t).Emulator.FirestoreHost(), append(slices.Clone(interceptors), guarded)...)
}

// empty makes the world that of an empty database. No process may be at work.
func (w *world) empty(ctx context.Context) error {
	for _, c := range w.disturbed {
		_ = c.Close()
	}
	w.disturbed, w.model, w.history, w.later = nil, newModel(), &oracle.History{}, nil
	return testkit.Clear(ctx, testkit.Machine(w.t).Emulator.FirestoreHost(), w.project)
}

// documents returns all documents of the database.
func (w *world) documents(ctx context.Context) (map[string]map[string]any, error) {
	return testkit.ReadDocuments(ctx, w.client, slices.Concat(testkit.Collections, w.suite.Collections), nil)
}

// process is a delivery in a process of the world.
type process struct {
	System
	engine *chunker.Engine
}

// pageSize is the most documents of a page of a job.
const pageSize = 2

// process starts a process. Its clock is further ahead than those of earlier ones, so
// that it need not wait for the leases that they leave.
func (w *world) process(ctx context.Context, interceptors ...wire.Interceptor) (process, error) {
	client := w.client
	if len(interceptors) > 0 {
		var err error
		if client, err = w.open(ctx, interceptors...); err != nil {
			return process{}, err
		}
		w.disturbed = append(w.disturbed, client)
	}
	ahead := time.Duration(w.opened.Add(1)) * 2 * chunker.DefaultLease
	logger := logging.New(w.t.Output(), slog.LevelWarn)
	engine := chunker.New(client, chunker.Options{
		Chunk: pageSize, Logger: logger, Wait: testkit.NoWait, Now: func() time.Time { return time.Now().Add(ahead) },
	})
	system := w.suite.Open(w.t, Process{Client: client, Engine: engine, Logger: logger})
	return process{system, engine}, nil
}

// apply lets clients write, and returns the events in their order.
func (w *world) apply(ctx context.Context, ops ...op) ([]event, error) {
	var events []event
	for _, o := range ops {
		if o.kind == leaves {
			w.later = append(w.later, w.traces(o.author)...)
		}
		before := w.model.decided[o.reader]
		w.model.apply(o)
		if err := o.write(ctx, w.clients); err != nil {
			return nil, err
		}
		events = append(events, o.event(before))
	}
	return events, nil
}

// took returns the events of what functions delete with an account, once.
func (w *world) took() []event {
	events := w.later
	w.later = nil
	return events
}

// traces returns the events of what is deleted with an account.
func (w *world) traces(account string) []event {
	var events []event
	for f := range w.model.follows {
		if f.author == account || f.reader == account {
			events = append(events, followEvent(f))
		}
	}
	for id, p := range w.model.posts {
		if p.author == account || slices.Contains(p.to, account) {
			events = append(events, postEvent(id))
		}
	}
	for k := range w.model.hidden {
		if k.reader == account {
			events = append(events, hiddenEvent(k))
		}
	}
	return events
}

// handle lets clients write, and a new process handle that.
func (w *world) handle(ctx context.Context, ops []op) error {
	events, err := w.apply(ctx, ops...)
	if err != nil {
		return err
	}
	p, err := w.process(ctx)
	if err != nil {
		return err
	}
	err = p.handled(ctx, events...)
	p.work(ctx)
	return err
}

// deliver hands events to a process, one after the other, and returns those that it
// did not acknowledge, with the reasons.
func (p process) deliver(ctx context.Context, events ...event) ([]event, error) {
	var open []event
	var errs []error
	for _, e := range events {
		if err := e.handle(ctx, p.System); err != nil {
			open, errs = append(open, e), append(errs, fmt.Errorf("%s: %w", e.name, err))
		}
	}
	return open, errors.Join(errs...)
}

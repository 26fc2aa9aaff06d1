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
	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/oracle"
)

// world is one database, the clients that write to it, and the data to check it by.
type world struct {
	suite   Suite
	t       *testing.T
	project string
	guard   *guard.Guard
	client  *firestore.Client // of undisturbed processes
	clients *firestore.Client // of readers and authors; its writes are in history
	meter   wire.Meter        // of client
	opened  atomic.Int64      // number of processes so far

	// These start anew with an empty database.
	present   clients.Present
	people    map[string]bool // everyone who was in a `to`, and so got a profile
	history   *oracle.History
	later     []event // of the functions' deletions with an account, or after a block
	disturbed []*firestore.Client
}

// newWorld returns an empty database. Among the parts of a case, it costs the most: see pool.
func newWorld(ctx context.Context, t *testing.T, s Suite) (*world, error) {
	indexes := s.Indexes
	if indexes == nil {
		indexes = relationindex.FirestoreIndexes
	}
	g, err := guard.Parse(indexes)
	if err != nil {
		return nil, err
	}
	g.Limits = nil // checks of limits read before each write, and these documents are small
	w := &world{suite: s, t: t, project: testkit.ProjectID(t), guard: g}
	w.begin()
	// The clients outlive the test.
	if w.client, err = w.open(context.WithoutCancel(ctx), w.meter.Interceptor()); err != nil {
		return nil, err
	}
	record := wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		return testkit.Record(w.history).Unary(ctx, method, req, reply, cc, invoke, opts...) // the present case's history
	}}
	w.clients, err = w.open(context.WithoutCancel(ctx), record)
	return w, err
}

// open opens a client. The guard comes after interceptors that break calls, and so sees the requests
// that reach the emulator.
func (w *world) open(ctx context.Context, interceptors ...wire.Interceptor) (*firestore.Client, error) {
	guarded := wire.Interceptor{Unary: w.guard.Unary, Stream: w.guard.Stream}
	return wire.Open(ctx, w.project, testkit.Machine(w.t).Emulator.FirestoreHost(), append(slices.Clone(interceptors), guarded)...)
}

// empty deletes everything, and starts the world anew. No process may be at work.
func (w *world) empty(ctx context.Context) error {
	for _, c := range w.disturbed {
		_ = c.Close()
	}
	w.begin()
	return testkit.Clear(ctx, testkit.Machine(w.t).Emulator.FirestoreHost(), w.project)
}

func (w *world) begin() {
	w.disturbed, w.later, w.present, w.people, w.history = nil, nil, clients.Present{}, map[string]bool{}, &oracle.History{}
}

// documents returns all documents of the database.
func (w *world) documents(ctx context.Context) (map[string]map[string]any, error) {
	return testkit.ReadDocuments(ctx, w.client, slices.Concat(testkit.AllCollections, w.suite.Collections), nil)
}

// process is a delivery in a process of the world.
type process struct {
	System
	engine *chunker.Engine
}

// pageSize is the largest number of documents in a page of a job.
const pageSize = 2

// process starts a process. Its clock is ahead of the clocks of earlier processes, so that it does not
// wait for their leases.
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

// apply does clients' operations, and returns their events in order.
func (w *world) apply(ctx context.Context, ops ...op) ([]event, error) {
	var events []event
	for _, o := range ops {
		for _, reader := range o.To {
			if !w.people[reader] { // no post by name reaches whom its author has invented
				w.people[reader] = true
				if _, err := w.clients.Doc("users/"+reader).Set(ctx, map[string]any{"name": reader}, firestore.MergeAll); err != nil {
					return nil, err
				}
			}
		}
		if o.Ahead = 0; o.Kind == clients.Follow {
			o.At = followedAt()
		}
		path := o.Document()
		before := w.present[path]
		var ended []event // of the functions' deletions
		for _, gone := range w.present.Apply(o, time.Now()) {
			if e, ok := eventOf(gone, nil, nil); ok {
				ended = append(ended, e)
			}
		}
		w.later = append(w.later, ended...)
		if err := o.Apply(ctx, w.clients); err != nil {
			return nil, fmt.Errorf("%v: %w", o, err)
		}
		if e, ok := eventOf(path, before, w.present[path]); ok && o.Kind == clients.Block {
			events = append(events, e.then(ended))
		} else if ok {
			events = append(events, e)
		}
	}
	return events, nil
}

// took returns the events of the functions' deletions with accounts since its last call.
func (w *world) took() []event {
	events := w.later
	w.later = nil
	return events
}

// handle does clients' operations, and handles their events in a new process.
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

// deliver hands events to a process, one after the other. It returns the events that the process did
// not acknowledge, with the reasons.
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

// Package local runs the functions in this process, for any number of databases at once. The broker of a Firestore
// emulator delivers their events. Tests and benchmarks use this package because they count or hold the calls of
// the functions' client.
package local

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/horizon"
	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/functions"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/configured"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// Machine is a Firestore emulator and a server of functions.
type Machine struct {
	Emulator *emulator.Emulator

	functionsURL string
	projects     sync.Map // emulator.Name → *Project
}

// Project is a database with its functions. One project id may have several of them.
type Project struct {
	ID string // of the project
	// Client is for the caller's own reads and writes. Nothing counts them.
	Client *firestore.Client
	// Meter counts what the functions do.
	Meter *wire.Meter

	name     string // emulator.Name
	machine  *Machine
	refused  chan error // gets the first error of a guard about a call of the functions
	handlers *functions.Handlers
	engine   *chunker.Engine
	silent   atomic.Bool
}

// Start starts an emulator with the options o, and sets their Busy. The emulator ends with ctx.
func Start(ctx context.Context, o emulator.Options) (*Machine, error) {
	m := &Machine{}
	o.Busy = func(ctx context.Context, name string) (string, error) {
		p, ok := m.projects.Load(name)
		if !ok {
			return "", nil
		}
		return Unfinished(ctx, p.(*Project).engine)
	}
	e, err := emulator.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	m.Emulator = e
	m.functionsURL, err = m.serve(ctx)
	return m, err
}

// Project connects the functions of a project, configured by cfg. Project sets the fields Project and
// EmulatorHost of cfg. It may be called again for the same project with another database. logger gets the
// logs of the functions. Guards reject calls that production would reject: of the functions, which Idle
// reports, and of the caller.
func (m *Machine) Project(ctx context.Context, id string, cfg schema.Config, logger *slog.Logger, interceptors ...wire.Interceptor) (*Project, error) {
	cfg.Project, cfg.EmulatorHost, cfg.Logger = id, m.Emulator.FirestoreHost(), logger
	p := &Project{ID: id, name: emulator.Name(id, cfg.Database), Meter: &wire.Meter{}, machine: m, refused: make(chan error, 1)}
	theirs, err := Guards(false, func(err error) {
		select {
		case p.refused <- err:
		default: // one is enough
		}
	})
	if err != nil {
		return nil, err
	}
	mine, err := Guards(false, nil)
	if err != nil {
		return nil, err
	}
	// The guard is behind the interceptors that break calls, so that it sees what reaches the emulator.
	functionsClient, err := wire.OpenDatabase(ctx, id, cfg.Database, cfg.EmulatorHost, slices.Concat([]wire.Interceptor{p.Meter.Interceptor()}, interceptors, []wire.Interceptor{theirs})...)
	if err != nil {
		return nil, err
	}
	if p.Client, err = wire.OpenDatabase(ctx, id, cfg.Database, cfg.EmulatorHost, mine); err != nil {
		return nil, err
	}
	if p.handlers, err = functions.New(functionsClient, cfg); err != nil {
		return nil, err
	}
	if err := horizon.Begin(ctx, p.Client, cfg.Horizon); err != nil {
		return nil, err
	}
	stored, err := configured.Start(ctx, p.Client, cfg, logger) // like the first event in production
	if err != nil {
		return nil, err
	}
	p.handlers.Configured(stored)
	p.engine = chunker.New(p.Client, chunker.Options{Grace: 5 * time.Second})
	m.projects.Store(p.name, p)
	return p, m.Emulator.Broker().Register(ctx, id, BrokerTriggers(cfg, m.functionsURL)...)
}

// Unfinished returns an unfinished job and its state, as the broker's Idle reports them; "" if every job is
// finished.
func Unfinished(ctx context.Context, engine *chunker.Engine) (string, error) {
	jobs, err := engine.Unfinished(ctx, 1)
	if err != nil || len(jobs) == 0 {
		return "", err
	}
	return fmt.Sprintf("job %s is %s", jobs[0].ID, jobs[0].State), nil
}

// BrokerTriggers returns the trigger table for functions served at base.
func BrokerTriggers(cfg schema.Config, base string) []emulator.Trigger {
	var out []emulator.Trigger
	for _, t := range triggers.Events(cfg) {
		out = append(out, emulator.Trigger{
			Name: t.Name, Database: cfg.Database, EventType: t.EventType, Document: t.Document,
			URL: base + "/" + t.Name, Concurrency: t.Concurrency, Timeout: t.Timeout,
		})
	}
	return out
}

// Handlers returns the project's functions, to call one with an event of your own.
func (p *Project) Handlers() *functions.Handlers { return p.handlers }

// Silence makes the project's functions acknowledge every event from now on
// and do nothing.
func (p *Project) Silence() { p.silent.Store(true) }

func (p *Project) serve(function string, w http.ResponseWriter, r *http.Request) {
	if p.silent.Load() {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	p.handlers.HTTP(function)(w, r)
}

// Idle waits until nothing is under way in the database. If a guard rejects a call of the functions, Idle ends
// at once with the guard's error, because the functions would retry the call for ever. Idle sweeps the jobs
// that wait for Sweep and not for an event.
func (p *Project) Idle(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	idle := make(chan error, 1)
	go func() { idle <- p.machine.Emulator.Broker().Idle(ctx, p.name) }()
	go p.sweep(ctx)
	select {
	case err := <-p.refused:
		return err
	case err := <-idle:
		select {
		case refused := <-p.refused:
			return refused
		default:
			return err
		}
	}
}

// sweep wakes due jobs whenever no event is under way, until ctx ends.
func (p *Project) sweep(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s := p.machine.Emulator.Broker().Stats(p.name); s.Queued+s.InFlight+s.Waiting > 0 {
			continue
		}
		_, _ = p.engine.Sweep(ctx, chunker.NewBudget(ctx, time.Now(), time.Minute, 0, nil)) // the next tick repeats it
	}
}

// serve serves the handlers that are registered in production, each at the path of its name. The database of
// the event selects the project. serve ends with ctx.
func (m *Machine) serve(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		database := emulator.Name(r.Header.Get("Ce-Project"), r.Header.Get("Ce-Database"))
		p, ok := m.projects.Load(database)
		if !ok {
			http.Error(w, "no functions for "+database, http.StatusNotFound)
			return
		}
		p.(*Project).serve(strings.TrimPrefix(r.URL.Path, "/"), w, r)
	})}
	go func() { _ = server.Serve(listener) }() // until it is closed
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return "http://" + listener.Addr().String(), nil
}

package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex"
	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/process"
	"example.com/relationindex/internal/wire"
)

// The files in the directory of a system.
const (
	rulesFile     = "firestore.rules"
	emulatorLog   = "emulator.log"
	functionsLog  = "functions.log" // what the functions log, as in Cloud Logging
	deliveriesLog = "deliveries.log"
)

// System is an emulator, a broker and the functions of one project. Its
// methods may be called by several goroutines at once.
type System struct {
	cfg      config.Functions
	dir      string
	emulator *emulator.Emulator
	proxy    *wire.Proxy // before the functions: the guards, and Options.Interceptors; nil without either
	workers  *workers
	balancer *balancer
	sweeper  *sweeper
	client   *firestore.Client
	log      *os.File // of the deliveries

	cancel  context.CancelFunc // of the emulator and the client
	closing chan struct{}
	done    chan struct{}
	err     error // set before done is closed
	close   func() error
}

// Start starts a system, and returns when it takes events. Everything ends
// when ctx ends or [System.Close] is called. The error wraps
// [emulator.ErrNotInstalled] if that is why, and tells how to get it.
func Start(ctx context.Context, o Options) (_ *System, err error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := &System{cfg: o.Functions, closing: make(chan struct{}), done: make(chan struct{})}
	s.cfg.Project = o.Project
	if s.cfg.Jobs == "" {
		s.cfg.Jobs = "_functions"
	}
	s.close = sync.OnceValue(s.end)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
			if !strings.Contains(err.Error(), s.dir) { // else it tells to look there
				err = errors.Join(err, s.RemoveLogs())
			}
		}
	}()
	if err := s.makeDir(); err != nil {
		return nil, err
	}
	if err := s.startEmulator(ctx, o); err != nil {
		return nil, err
	}
	if err := s.startFunctions(ctx, o); err != nil {
		return nil, err
	}
	if err := s.emulator.Broker().Register(ctx, o.Project, s.triggers()...); err != nil {
		return nil, err
	}
	s.sweeper = startSweeper(s.balancer.url+"/Sweep", cmp.Or(o.SweepEvery, defaultSweepEvery), s.logger()) //nolint:contextcheck // ends with Close
	go s.watch()
	context.AfterFunc(ctx, func() { _ = s.Close() }) // who calls Close gets its error
	return s, nil
}

// triggers are the broker's, with the concurrency of all workers: a trigger's is
// that of one instance.
func (s *System) triggers() []emulator.Trigger {
	triggers := local.BrokerTriggers(s.cfg, s.balancer.url)
	for i := range triggers {
		triggers[i].Concurrency = min(triggers[i].Concurrency*s.Workers(), maxInFlight)
	}
	return triggers
}

func (s *System) file(name string) string { return filepath.Join(s.dir, name) }

// makeDir makes the directory of the rules and the logs.
func (s *System) makeDir() (err error) {
	if s.dir, err = os.MkdirTemp("", "relationindex-"); err != nil {
		return fmt.Errorf("directory for logs: %w", err)
	}
	if err := os.WriteFile(s.file(rulesFile), relationindex.FirestoreRules, 0o600); err != nil {
		return fmt.Errorf("rules for the emulator: %w", err)
	}
	if s.log, err = os.Create(s.file(deliveriesLog)); err != nil {
		return fmt.Errorf("log of the deliveries: %w", err)
	}
	return nil
}

// startEmulator starts the emulator and opens the client. While the emulator
// starts it ends with ctx; afterwards Close ends it, before the functions.
func (s *System) startEmulator(ctx context.Context, o Options) error {
	var err error
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	defer context.AfterFunc(ctx, cancel)()
	var plan func(emulator.Event) []emulator.Delivery
	if o.Chaos != (emulator.Chaos{}) {
		plan = o.Chaos.Plan()
	}
	var engine atomic.Pointer[chunker.Engine]
	s.emulator, err = emulator.Start(life, emulator.Options{
		FirestorePort: o.FirestorePort,
		BrokerPort:    o.FunctionsPort,
		LogFile:       s.file(emulatorLog),
		RulesFile:     s.file(rulesFile),
		JavaArgs:      o.EmulatorArgs,
		Logger:        s.logger(),
		Plan:          plan,
		Busy: func(ctx context.Context, project string) (string, error) {
			if e := engine.Load(); e != nil && project == o.Project {
				return local.Unfinished(ctx, e)
			}
			return "", nil
		},
	})
	if err != nil {
		return err
	}
	s.cfg.EmulatorHost = s.emulator.FirestoreHost()
	guards, err := o.guards()
	if err != nil {
		return err
	}
	if s.client, err = wire.Open(life, o.Project, s.cfg.EmulatorHost, guards...); err != nil {
		return err
	}
	engine.Store(chunker.New(s.client, chunker.Options{Collection: s.cfg.Jobs}))
	return nil
}

// startFunctions starts what is between the broker and the emulator: the
// balancer, the workers, and the proxy with the guards: the functions are the
// production program, which knows nothing of guards. It returns when all
// workers answer.
func (s *System) startFunctions(ctx context.Context, o Options) error {
	cfg := s.cfg
	guards, err := o.guards()
	if err != nil {
		return err
	}
	if interceptors := slices.Concat(o.Interceptors, guards); len(interceptors) > 0 {
		if s.proxy, err = wire.Serve(context.WithoutCancel(ctx), cfg.EmulatorHost, interceptors...); err != nil {
			return err
		}
		cfg.EmulatorHost = s.proxy.Host()
	}
	s.workers = newWorkers(o.Command, cfg, s.file(functionsLog), max(1, o.Workers))
	if err := s.workers.start(ctx); err != nil {
		return err
	}
	s.balancer, err = startBalancer(s.workers.pick)
	return err
}

// guards are those of the functions and of the system's client.
func (o Options) guards() ([]wire.Interceptor, error) {
	if o.Unguarded {
		return nil, nil
	}
	guards, err := local.Guards(false, nil)
	return []wire.Interceptor{guards}, err
}

func (s *System) logger() *slog.Logger { return logging.New(s.log, slog.LevelInfo) }

// watch waits for the end of the emulator or of the functions.
func (s *System) watch() {
	defer close(s.done)
	select {
	case <-s.closing:
		return
	case <-s.emulator.Done():
		log := s.file(emulatorLog)
		s.err = fmt.Errorf("the Firestore emulator ended; the end of %s:\n%s", log, process.Tail(log, 0))
	case s.err = <-s.workers.failed:
	}
	select {
	case <-s.closing:
		s.err = nil // it was asked to end after all
	default:
	}
}

// Config is what the functions are told, but for the proxy that they reach the
// emulator through: its EmulatorHost is the emulator's own.
func (s *System) Config() config.Functions { return s.cfg }

// Client is a client of the project's database that rules do not bind. It is
// closed by Close.
func (s *System) Client() *firestore.Client { return s.client }

// FirestoreHost is the emulator's host:port, the value for FIRESTORE_EMULATOR_HOST.
func (s *System) FirestoreHost() string { return s.emulator.FirestoreHost() }

// URL is the broker's base URL, without a slash at its end. GET URL/idle?timeout=60s
// answers 200 when the system is idle, and 504 when the time is over.
func (s *System) URL() string { return s.emulator.URL() }

// Dir is the directory of the logs. It stays after Close: see [System.RemoveLogs].
func (s *System) Dir() string { return s.dir }

// RemoveLogs removes Dir. Call it after Close, when nobody will ask what happened.
func (s *System) RemoveLogs() error { return os.RemoveAll(s.dir) }

// Workers is how many processes serve the functions.
func (s *System) Workers() int { return len(s.workers.places) }

// PIDs are the process ids of the workers, but for one that is being replaced.
func (s *System) PIDs() []int { return s.workers.pids() }

// Kill kills a worker, 0 to Workers()-1, in the middle of whatever it does, and
// returns when it is dead. Another process takes its place and gets events as
// soon as it answers; until then the error is [ErrNotUp]. The events that the
// killed one was handling are delivered again.
func (s *System) Kill(worker int) error { return s.workers.kill(worker) }

// Longest is how long the longest call of a function has taken so far.
func (s *System) Longest(function string) time.Duration { return s.balancer.longestOf("/" + function) }

// Kills is how many workers were killed.
func (s *System) Kills() int64 { return s.workers.kills.Load() }

// Stats counts the project's events and their deliveries.
func (s *System) Stats() emulator.Stats { return s.emulator.Broker().Stats(s.cfg.Project) }

// Broker is the broker of the system, for triggers of other projects and for
// what it has measured. It is closed by Close.
func (s *System) Broker() *emulator.Broker { return s.emulator.Broker() }

// Idle waits until every write so far has had its consequences: no event is on
// its way, and no job is unfinished. Its errors are those of
// [emulator.Broker.Idle], and Err when the system ended.
func (s *System) Idle(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := s.emulator.Broker().Idle(ctx, s.cfg.Project)
	select {
	case <-s.done:
		return errors.Join(s.err, err)
	default:
		return err
	}
}

// Done is closed when the system has ended: by Close, or because the emulator
// or the functions died, which Err tells.
func (s *System) Done() <-chan struct{} { return s.done }

// Err is why the system ended by itself, with the name of the log and its last
// lines. It is nil while the system runs, and when it was closed.
func (s *System) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// Close ends everything, and returns when no process is left. It may be called
// again, and returns the same.
func (s *System) Close() error { return s.close() }

// end is Close, once. Deliveries and sweeps end before the functions do, so
// that none fails because of it.
func (s *System) end() error {
	close(s.closing)
	var errs []error
	if s.sweeper != nil {
		s.sweeper.close()
	}
	if s.emulator != nil {
		errs = append(errs, s.emulator.Close())
	}
	if s.balancer != nil {
		errs = append(errs, s.balancer.close())
	}
	if s.workers != nil {
		s.workers.close()
	}
	if s.proxy != nil {
		errs = append(errs, s.proxy.Close())
	}
	if s.client != nil {
		errs = append(errs, s.client.Close())
	}
	if s.cancel != nil {
		s.cancel()
	}
	if s.log != nil {
		errs = append(errs, s.log.Close())
	}
	return errors.Join(errs...)
}

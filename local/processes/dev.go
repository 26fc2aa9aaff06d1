package processes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/auth"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/emulator/front"
	"example.com/relationindex/emulator/instances"
	"example.com/relationindex/emulator/process"
	"example.com/relationindex/emulator/siteguard"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/local/site"
	"example.com/relationindex/schema"
)

// The files in the directory of a system.
const (
	rulesFile     = "firestore.rules"
	emulatorLog   = "emulator.log"
	authLog       = "auth.log"
	functionsLog  = "functions.log" // what the functions log, as in Cloud Logging
	deliveriesLog = "deliveries.log"
)

// System has the emulators, a broker and the functions of one database. Its methods may be called by several
// goroutines at once.
type System struct {
	options  Options // with defaults
	cfg      schema.Config
	dir      string
	emulator *emulator.Emulator
	auth     *auth.Emulator // nil without an Auth emulator
	noAuth   error          // why there is no Auth emulator although Options.Auth requires one
	engine   *chunker.Engine
	proxy    *faults.Proxy // before the functions: counts, Options.Interceptors, guards, and weather; nil without any
	weather  *weathered    // nil without Options.Weather
	workers  *workers
	services *services // before the workers; nil without Options.Instances
	balancer *balancer
	sweeper  *task
	expiry   *task // nil with weather
	guard    siteguard.Guard
	front    *front.Front  // before the emulator; nil if Options.Unguarded
	projects *projects     // nil without Options.AnyProject
	actions  *site.Actions // nil without Options.Web, and so is site
	site     *server
	client   *firestore.Client
	signIns  atomic.Pointer[[]site.SignIn] // nil before OfferSignIns
	log      *os.File                      // of the deliveries

	frontPort     *server  // of front, from the beginning
	firestoreHost string   // of the front, or of the emulator without a front
	imported      []string // ids of other projects

	cancel  context.CancelFunc // of the emulators and the client
	closing chan struct{}
	done    chan struct{}
	err     error // set before done is closed
	close   func() error
}

// name returns the name of the database at the broker.
func (s *System) name() string { return emulator.Name(s.cfg.Project, s.cfg.Database) }

func (s *System) logger() *slog.Logger { return logging.New(s.log, slog.LevelInfo) }

// watch waits for the end of an emulator or of the functions.
func (s *System) watch() {
	defer close(s.done)
	var authDone <-chan struct{}
	if s.auth != nil {
		authDone = s.auth.Done()
	}
	select {
	case <-s.closing:
		return
	case <-authDone:
		s.err = s.auth.Err()
	case <-s.emulator.Done():
		log := s.file(emulatorLog)
		s.err = fmt.Errorf("the Firestore emulator ended; the end of %s:\n%s", log, process.Tail(log, 0))
	case s.err = <-s.workers.failed:
	}
	select {
	case <-s.closing:
		s.err = nil // Close was called meanwhile
	default:
	}
}

// Config returns the configuration of the functions. Only EmulatorHost differs: it is [System.FirestoreHost],
// and not the proxy of the functions.
func (s *System) Config() schema.Config {
	cfg := s.cfg
	cfg.EmulatorHost = s.firestoreHost
	return cfg
}

// Client returns a client of the database that bypasses the security rules. Close closes it.
func (s *System) Client() *firestore.Client { return s.client }

// FirestoreHost returns the host:port for clients, the value for FIRESTORE_EMULATOR_HOST.
func (s *System) FirestoreHost() string { return s.firestoreHost }

// AuthHost returns the Auth emulator's host:port, the value for
// FIREBASE_AUTH_EMULATOR_HOST; "" without one.
func (s *System) AuthHost() string { return s.cfg.AuthEmulatorHost }

// NoAuth returns why there is no Auth emulator although [Options.Auth] requires one, and what to do. The error
// wraps [auth.ErrNotInstalled]. Otherwise NoAuth returns nil.
func (s *System) NoAuth() error { return s.noAuth }

// CreateAccount creates an account to sign in to, unless its id exists. Without an Auth emulator, the error is
// [System.NoAuth].
func (s *System) CreateAccount(ctx context.Context, a auth.Account) error {
	if s.auth == nil {
		return s.noAuth
	}
	return s.auth.Create(ctx, s.cfg.Project, a)
}

// OfferSignIns makes the sign-in page show a button for each of these accounts. They replace the accounts before.
func (s *System) OfferSignIns(accounts []site.SignIn) { s.signIns.Store(&accounts) }

func (s *System) offered() []site.SignIn {
	if accounts := s.signIns.Load(); accounts != nil {
		return *accounts
	}
	return nil
}

// WebURL returns the base URL of the app, without a slash at its end; "" without [Options.Web]. The console is
// at WebURL/console/.
func (s *System) WebURL() string {
	if s.site == nil {
		return ""
	}
	return s.site.url
}

// FeedURL returns the URL of the function Feed. With [Options.Web], it is the URL at the site, which pages of
// this machine may call. Without, it is the URL at the workers.
func (s *System) FeedURL() string {
	if s.site == nil {
		return s.balancer.url + site.FeedPath
	}
	return s.site.url + site.FeedPath
}

// FunctionsURL returns the base URL of the functions behind the site.
func (s *System) FunctionsURL() string { return s.balancer.url }

// LastAction returns the last action in its current state. It needs [Options.Web].
func (s *System) LastAction() site.Action {
	all, _, _ := s.actions.Since(0)
	return all[len(all)-1]
}

// functionsURL returns the base URL of a project's functions.
func (s *System) functionsURL(project string) string {
	if project == s.cfg.Project {
		return s.balancer.url
	}
	return s.balancer.url + site.ProjectsPath + project
}

// URL returns the broker's base URL, without a slash at its end. GET URL/idle?timeout=60s
// answers 200 when the system is idle, and 504 after the timeout.
func (s *System) URL() string { return s.emulator.URL() }

// Dir returns the directory of the logs. It stays after Close: see [System.RemoveLogs].
func (s *System) Dir() string { return s.dir }

// RemoveLogs removes Dir. Call it after Close, when the logs are no longer needed.
func (s *System) RemoveLogs() error { return os.RemoveAll(s.dir) }

// Workers returns the number of processes that serve the functions.
func (s *System) Workers() int { return len(s.workers.places) }

// PIDs returns the process ids of the workers, without workers that are being replaced.
func (s *System) PIDs() []int { return s.workers.pids() }

// Kill kills a worker, 0 to Workers()-1, at any point of its work, and returns when the worker is dead.
// Another process takes its place, and gets events as soon as it answers. Until then, Kill returns
// [ErrNotUp]. The broker delivers again the events that the killed worker was handling.
func (s *System) Kill(worker int) error { return s.workers.kill(worker) }

// KillAll kills all workers, like a restart of all instances in production, and returns when they are dead.
// Each function starts cold afterwards. KillAll skips workers that are being replaced already.
func (s *System) KillAll() error { return s.workers.killAll() }

// Reconfigure replaces the workers by workers with another configuration, like a deployment, and returns when
// the new ones answer. The broker delivers again the events that the old ones were handling. The triggers and Config
// keep the system's first configuration. The system should be idle.
func (s *System) Reconfigure(ctx context.Context, cfg schema.Config) error {
	return s.workers.reconfigure(ctx, cfg)
}

// Longest returns the duration of the longest call of a function so far.
func (s *System) Longest(function string) time.Duration { return s.balancer.longestOf("/" + function) }

// Sweep calls the function Sweep once, as the scheduler does: see [Options.SweepEvery].
func (s *System) Sweep(ctx context.Context) error { return sweep(ctx, s.balancer.url+"/Sweep") }

// Instances returns the counts of a function's modelled instances in this project: cold starts, and
// requests that got 429. It is zero without [Options.Instances].
func (s *System) Instances(function string) instances.Stats {
	if s.services == nil {
		return instances.Stats{}
	}
	service := s.services.of("/" + function)
	if service == nil {
		return instances.Stats{}
	}
	return service.Stats()
}

// Kills returns the number of workers that were killed.
func (s *System) Kills() int64 { return s.workers.kills.Load() }

// Stats returns the counts of the database's events and their deliveries.
func (s *System) Stats() emulator.Stats { return s.emulator.Broker().Stats(s.name()) }

// Broker returns the broker of the system, for triggers of other projects and for its measurements. Close
// closes it.
func (s *System) Broker() *emulator.Broker { return s.emulator.Broker() }

// Idle waits until all consequences of the writes so far have happened: no event is under way, and no job is
// unfinished. Its errors are those of [emulator.Broker.Idle], and Err when the system has ended.
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
	err := s.emulator.Broker().Idle(ctx, s.name())
	select {
	case <-s.done:
		return errors.Join(s.err, err)
	default:
		return err
	}
}

// Done is closed when the system has ended: by Close, or because an emulator or the functions died. Err
// returns the reason.
func (s *System) Done() <-chan struct{} { return s.done }

// Err returns why the system ended by itself, with the name of the log and its last lines. It is nil while
// the system runs, and after Close.
func (s *System) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// Close ends everything, and returns when no process is left. You may call it again; it returns the same
// error.
func (s *System) Close() error { return s.close() }

// end does the work of Close, once. Deliveries and sweeps end before the functions, so that none fails because
// the functions have ended.
func (s *System) end() error {
	close(s.closing)
	err := errors.Join(
		s.closeFront(),
		closed(s.site, (*server).close),
		closed(s.actions, (*site.Actions).Close),
		closed(s.sweeper, (*task).close),
		closed(s.expiry, (*task).close),
		closed(s.projects, (*projects).close),
		closed(s.emulator, (*emulator.Emulator).Close),
		closed(s.balancer, (*balancer).close),
		closed(s.workers, (*workers).close),
		closed(s.proxy, (*faults.Proxy).Close),
		closed(s.weather, (*weathered).close),
		closed(s.auth, (*auth.Emulator).Close),
		closed(s.client, (*firestore.Client).Close),
	)
	s.cancel()
	return errors.Join(err, closed(s.log, (*os.File).Close))
}

// closeFront closes the listener if no server was started on it.
func (s *System) closeFront() error {
	if s.front == nil {
		return closed(s.frontPort, (*server).close)
	}
	return s.front.Close()
}

// closed closes a part of the system, unless it was not started.
func closed[T any](part *T, closing func(*T) error) error {
	if part == nil {
		return nil
	}
	return closing(part)
}

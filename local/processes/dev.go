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

// System is the emulators, a broker and the functions of one database. Its
// methods may be called by several goroutines at once.
type System struct {
	options  Options // with defaults
	cfg      schema.Config
	dir      string
	emulator *emulator.Emulator
	auth     *auth.Emulator // nil where there is none
	noAuth   error          // why there is none although Options.Auth asked for it
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
	firestoreHost string   // of the front, or else of the emulator
	imported      []string // other projects

	cancel  context.CancelFunc // of the emulators and the client
	closing chan struct{}
	done    chan struct{}
	err     error // set before done is closed
	close   func() error
}

// name is the database's at the broker.
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
		s.err = nil // it was asked to end after all
	default:
	}
}

// Config is what the functions are told, but for the proxy that they reach the
// emulator through: its EmulatorHost is [System.FirestoreHost].
func (s *System) Config() schema.Config {
	cfg := s.cfg
	cfg.EmulatorHost = s.firestoreHost
	return cfg
}

// Client is a client of the database that rules do not bind. It is
// closed by Close.
func (s *System) Client() *firestore.Client { return s.client }

// FirestoreHost is the host:port for clients, the value for FIRESTORE_EMULATOR_HOST.
func (s *System) FirestoreHost() string { return s.firestoreHost }

// AuthHost is the Auth emulator's host:port, the value for
// FIREBASE_AUTH_EMULATOR_HOST; "" without one.
func (s *System) AuthHost() string { return s.cfg.AuthEmulatorHost }

// NoAuth is why there is no Auth emulator although [Options.Auth] asked for one,
// and what to do: it wraps [auth.ErrNotInstalled]. Else it is nil.
func (s *System) NoAuth() error { return s.noAuth }

// CreateAccount makes an account to sign in to, unless there is one of its id. Without an
// Auth emulator the error is [System.NoAuth].
func (s *System) CreateAccount(ctx context.Context, a auth.Account) error {
	if s.auth == nil {
		return s.noAuth
	}
	return s.auth.Create(ctx, s.cfg.Project, a)
}

// OfferSignIns has the sign-in page show a button for each of these accounts, instead of those before.
func (s *System) OfferSignIns(accounts []site.SignIn) { s.signIns.Store(&accounts) }

func (s *System) offered() []site.SignIn {
	if accounts := s.signIns.Load(); accounts != nil {
		return *accounts
	}
	return nil
}

// WebURL is the base URL of the app, whose console is at WebURL/console/,
// without a slash at its end; "" without [Options.Web].
func (s *System) WebURL() string {
	if s.site == nil {
		return ""
	}
	return s.site.url
}

// FeedURL is the URL of the function Feed: the site's, which pages of this machine may
// call, or without [Options.Web] the workers'.
func (s *System) FeedURL() string {
	if s.site == nil {
		return s.balancer.url + site.FeedPath
	}
	return s.site.url + site.FeedPath
}

// FunctionsURL is the base URL of the functions behind the site.
func (s *System) FunctionsURL() string { return s.balancer.url }

// LastAction returns the last action, as it is now. It needs [Options.Web].
func (s *System) LastAction() site.Action {
	all, _, _ := s.actions.Since(0)
	return all[len(all)-1]
}

// functionsURL is the base URL of a project's functions.
func (s *System) functionsURL(project string) string {
	if project == s.cfg.Project {
		return s.balancer.url
	}
	return s.balancer.url + site.ProjectsPath + project
}

// URL is the broker's base URL, without a slash at its end. GET URL/idle?timeout=60s
// answers 200 when the system is idle, and 504 when the time is over.
func (s *System) URL() string { return s.emulator.URL() }

// Dir is the directory of the logs. It stays after Close: see [System.RemoveLogs].
func (s *System) Dir() string { return s.dir }

// RemoveLogs removes Dir. Call it after Close, when the logs are no longer needed.
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

// KillAll kills all workers, as when production restarts all instances, and returns when
// they are dead. Each function starts cold then. A worker that is being replaced already
// is left alone.
func (s *System) KillAll() error { return s.workers.killAll() }

// Reconfigure replaces the workers by such with another configuration, as a deployment does, and returns
// when these answer. The events that the others were handling are delivered again. The triggers stay
// those of the system's first configuration, and so does Config. The system should be idle.
func (s *System) Reconfigure(ctx context.Context, cfg schema.Config) error {
	return s.workers.reconfigure(ctx, cfg)
}

// Longest is how long the longest call of a function has taken so far.
func (s *System) Longest(function string) time.Duration { return s.balancer.longestOf("/" + function) }

// Sweep calls the function Sweep once, as the scheduler does: see [Options.SweepEvery].
func (s *System) Sweep(ctx context.Context) error { return sweep(ctx, s.balancer.url+"/Sweep") }

// Instances counts the modelled instances of a function of this project: cold starts, and
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

// Kills is how many workers were killed.
func (s *System) Kills() int64 { return s.workers.kills.Load() }

// Stats counts the database's events and their deliveries.
func (s *System) Stats() emulator.Stats { return s.emulator.Broker().Stats(s.name()) }

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
	err := s.emulator.Broker().Idle(ctx, s.name())
	select {
	case <-s.done:
		return errors.Join(s.err, err)
	default:
		return err
	}
}

// Done is closed when the system has ended: by Close, or because an emulator
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

// closeFront closes the port alone if nothing was served.
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

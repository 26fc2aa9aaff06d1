package testkit

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit/stories"
)

// InProcess is the machine of stories whose functions run in this process.
type InProcess struct {
	Logger       *slog.Logger       // gets what the functions log; nil: the test's output
	Interceptors []wire.Interceptor // see the functions' calls
}

// System is the functions of one project, of which a test sees the inside too.
type System struct {
	*local.Project
	t      testing.TB
	logger *slog.Logger
}

// Open is a part of stories.Machine.
func (InProcess) Open(ctx context.Context, project string, interceptors ...wire.Interceptor) (*firestore.Client, error) {
	m, err := machine()
	if err != nil {
		return nil, err
	}
	return local.Open(ctx, project, m.Emulator.FirestoreHost(), interceptors...)
}

// Start is a part of stories.Machine.
func (m InProcess) Start(t testing.TB, project string, cfg schema.Config) (stories.System, error) {
	t.Helper()
	if cfg.AuthEmulatorHost != "" { // the library has no other way to be told
		t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", cfg.AuthEmulatorHost)
	}
	if m.Logger == nil {
		m.Logger = logging.New(t.Output(), slog.LevelInfo)
	}
	p, err := Machine(t).Project(t.Context(), project, cfg, m.Logger, m.Interceptors...)
	return &System{p, t, m.Logger}, err
}

// URL serves a function by itself, as a process of its own does.
func (s *System) URL(function string) string {
	server := httptest.NewServer(s.Handlers().HTTP(function))
	s.t.Cleanup(server.Close)
	return server.URL
}

// Stats counts the project's events.
func (s *System) Stats() emulator.Stats { return Machine(s.t).Emulator.Broker().Stats(s.ID) }

// Counts is what the functions have used.
func (s *System) Counts() wire.Counts { return s.Meter.Counts() }

// App is a project of a test's own, as its clients see it, with functions in this
// process.
type App struct {
	*stories.App
	*System
}

// NewApp makes an app with functions configured by cfg. Interceptors see what
// the functions send.
func NewApp(t testing.TB, cfg schema.Config, interceptors ...wire.Interceptor) *App {
	t.Helper()
	return InProcess{Interceptors: interceptors}.NewApp(t, cfg)
}

// NewApp is [NewApp] on this machine.
func (m InProcess) NewApp(t testing.TB, cfg schema.Config) *App {
	t.Helper()
	a := stories.New(t, m, cfg)
	return &App{a, a.System.(*System)}
}

// OpenApp makes an app without functions: what is written before Register has no
// events.
func OpenApp(t testing.TB, cfg schema.Config) *App {
	t.Helper()
	a := stories.Open(t, InProcess{})
	a.Config = cfg
	return &App{App: a}
}

// Register connects the functions of an app that OpenApp made, or puts others, with
// another Config, in their place.
func (a *App) Register() {
	a.T.Helper()
	a.Start(a.Config)
	a.System = a.App.System.(*System)
}

// Wake is the end of Silence.
func (a *App) Wake() {
	a.T.Helper()
	p, err := Machine(a.T).Project(a.T.Context(), a.ID, a.Config, a.logger)
	if err != nil {
		a.T.Fatal(err)
	}
	a.Project = p
}

// Instance is another instance of the functions, or a command line's index, whose
// calls interceptors see.
func (a *App) Instance(interceptors ...wire.Interceptor) *social.System {
	a.T.Helper()
	return Index(a.T, a.ID, a.Config, interceptors...)
}

// Index is the index of a project, for a process of its own.
func Index(tb testing.TB, project string, cfg schema.Config, interceptors ...wire.Interceptor) *social.System {
	tb.Helper()
	client := Open(tb, project, interceptors...)
	x, err := social.Open(client, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

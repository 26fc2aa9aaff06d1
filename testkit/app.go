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

// InProcess is the [stories.Machine] that runs the functions in this process.
type InProcess struct {
	Logger       *slog.Logger       // gets the functions' log; nil: the test's output gets warnings
	Interceptors []wire.Interceptor // see the functions' calls
}

// System is the functions of one project. Unlike [stories.System], it shows a test their inside too.
type System struct {
	*local.Project
	t      testing.TB
	logger *slog.Logger
}

// Open implements [stories.Machine].
func (InProcess) Open(ctx context.Context, project string, interceptors ...wire.Interceptor) (*firestore.Client, error) {
	m, err := machine()
	if err != nil {
		return nil, err
	}
	return local.Open(ctx, project, m.Emulator.FirestoreHost(), interceptors...)
}

// Start implements [stories.Machine].
func (m InProcess) Start(t testing.TB, project string, cfg schema.Config) (stories.System, error) {
	t.Helper()
	if cfg.AuthEmulatorHost != "" { // the library reads the host from the environment only
		t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", cfg.AuthEmulatorHost)
	}
	if m.Logger == nil {
		m.Logger = logging.New(t.Output(), slog.LevelWarn)
	}
	p, err := connect(t, project, cfg, m.Logger, m.Interceptors...)
	return &System{p, t, m.Logger}, err
}

// URL starts an HTTP server for one function until the test ends, and returns its URL.
func (s *System) URL(function string) string {
	server := httptest.NewServer(s.Handlers().HTTP(function))
	s.t.Cleanup(server.Close)
	return server.URL
}

// Stats counts the project's events.
func (s *System) Stats() emulator.Stats { return Machine(s.t).Emulator.Broker().Stats(s.ID) }

// Counts returns the functions' use of Firestore so far: reads, writes, deletes, requests and bytes.
func (s *System) Counts() wire.Counts { return s.Meter.Counts() }

// App is a project of the test's own, as the project's clients see it. Its functions run in this
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

// NewApp is like the function [NewApp], with the functions run by m.
func (m InProcess) NewApp(t testing.TB, cfg schema.Config) *App {
	t.Helper()
	a := stories.New(t, m, cfg)
	return &App{a, a.System.(*System)}
}

// OpenApp makes an app without functions. Writes before Register have no events.
func OpenApp(t testing.TB, cfg schema.Config) *App {
	t.Helper()
	return InProcess{}.OpenApp(t, cfg)
}

// OpenApp is like the function [OpenApp]. Register runs the functions by m.
func (m InProcess) OpenApp(t testing.TB, cfg schema.Config) *App {
	t.Helper()
	a := stories.Open(t, m)
	a.Config = cfg
	return &App{App: a}
}

// Register starts the functions of an app made by OpenApp. On an app with functions, Register replaces
// these, by the app's present Config.
func (a *App) Register() {
	a.T.Helper()
	a.Start(a.Config)
	a.System = a.App.System.(*System)
}

// Wake starts the functions again after Silence.
func (a *App) Wake() {
	a.T.Helper()
	p, err := connect(a.T, a.ID, a.Config, a.logger)
	if err != nil {
		a.T.Fatal(err)
	}
	a.Project = p
}

// Instance returns another instance of the functions, or the index that a command line opens.
// Interceptors see the instance's calls.
func (a *App) Instance(interceptors ...wire.Interceptor) *social.System {
	a.T.Helper()
	return Index(a.T, a.ID, a.Config, interceptors...)
}

// Index opens the index of a project, as a process of its own does.
func Index(tb testing.TB, project string, cfg schema.Config, interceptors ...wire.Interceptor) *social.System {
	tb.Helper()
	client := Open(tb, project, interceptors...)
	x, err := social.Open(client, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

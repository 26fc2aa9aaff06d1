package functions_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/endtoend"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
)

func TestStories(t *testing.T) {
	t.Parallel()
	endtoend.Run(t, inProcess{})
}

func TestAccountsOfTheAuthEmulator(t *testing.T) { // not in parallel: see inProcess.Start
	endtoend.RunAccounts(t, inProcess{})
}

// inProcess is the machine whose functions run in this process.
type inProcess struct {
	logger       *slog.Logger // nil: to the test's output
	interceptors []wire.Interceptor
}

// system is the functions of one project.
type system struct {
	*local.Project
	t      testing.TB
	logger *slog.Logger
}

func (m inProcess) Open(ctx context.Context, project string) (*firestore.Client, error) {
	started.Store(true)
	running, err := machine()
	if err != nil {
		return nil, err
	}
	return local.Open(ctx, project, running.Emulator.FirestoreHost())
}

func (m inProcess) Start(t testing.TB, project string, cfg config.Functions) (endtoend.System, error) {
	t.Helper()
	if cfg.AuthEmulatorHost != "" { // the library has no other way to be told
		t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", cfg.AuthEmulatorHost)
	}
	logger := m.logger
	if logger == nil {
		logger = logging.New(t.Output(), slog.LevelInfo)
	}
	p, err := theMachine(t).Project(t.Context(), project, cfg, logger, m.interceptors...)
	return &system{p, t, logger}, err
}

// URL serves a function by itself, as a process of its own does.
func (s *system) URL(function string) string {
	server := httptest.NewServer(s.Handlers().HTTP(function))
	s.t.Cleanup(server.Close)
	return server.URL
}

func (s *system) Stats() emulator.Stats { return theMachine(s.t).Emulator.Broker().Stats(s.ID) }

// app is a project of a test's own, with functions behind real triggers, of which
// tests here see the inside too.
type app struct {
	*endtoend.App
	*system
}

func newApp(t testing.TB, cfg config.Functions, interceptors ...wire.Interceptor) *app {
	t.Helper()
	return newAppWithLogger(t, cfg, nil, interceptors...)
}

func newAppWithLogger(t testing.TB, cfg config.Functions, logger *slog.Logger, interceptors ...wire.Interceptor) *app {
	t.Helper()
	a := endtoend.New(t, inProcess{logger, interceptors}, cfg)
	return &app{a, a.System.(*system)}
}

// wake is the end of Silence.
func (a *app) wake() {
	a.T.Helper()
	p, err := theMachine(a.T).Project(a.T.Context(), a.ID, a.Config, a.logger)
	if err != nil {
		a.T.Fatal(err)
	}
	a.Project = p
}

//go:build long

package rehearsal_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/process"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/envfile"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/test/rehearsal"
	"example.com/relationindex/testkit/stories"
)

// folder is where this process's builds and logs are.
var folder string

// program is the functions as the buildpack builds them.
var program = sync.OnceValues(func() (rehearsal.Built, error) {
	return rehearsal.Build(context.Background(), rehearsal.Options{Root: root, Dir: filepath.Join(folder, "build")})
})

// database is the one of each project that the stories are told in: package functions tells them in
// (default).
const database = "blue"

// machine has one process for each function of each project.
type machine struct {
	program  string
	emulator *emulator.Emulator
	engines  sync.Map // emulator.Name → *chunker.Engine
}

var (
	theMachine = sync.OnceValues(startMachine)
	started    atomic.Bool
)

func startMachine() (*machine, error) {
	started.Store(true)
	built, err := program()
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(os.Stderr, built)
	m := &machine{program: built.Program}
	m.emulator, err = emulator.Start(context.Background(), emulator.Options{Busy: m.busy, LogFile: filepath.Join(folder, "emulator.log")})
	return m, err
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if folder, err = os.MkdirTemp("", "rehearsal"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	code := m.Run()
	if started.Load() {
		if m, err := theMachine(); err == nil {
			_ = m.emulator.Close()
		}
	}
	return code
}

// busy says which job of a database is not finished.
func (m *machine) busy(ctx context.Context, name string) (string, error) {
	if engine, ok := m.engines.Load(name); ok {
		return local.Unfinished(ctx, engine.(*chunker.Engine))
	}
	return "", nil
}

func (m *machine) Open(ctx context.Context, project string, interceptors ...wire.Interceptor) (*firestore.Client, error) {
	client, err := local.OpenDatabase(ctx, project, database, m.emulator.FirestoreHost(), interceptors...)
	if err == nil {
		m.engines.Store(emulator.Name(project, database), chunker.New(client, chunker.Options{}))
	}
	return client, err
}

// Start starts a process for each function that the configuration deploys, and
// registers their triggers. When the test fails, it shows what they have printed.
func (m *machine) Start(t testing.TB, project string, cfg schema.Config) (stories.System, error) {
	t.Helper()
	cfg.Project, cfg.Database, cfg.EmulatorHost = project, database, m.emulator.FirestoreHost()
	s := &services{machine: m, name: emulator.Name(project, database), urls: map[string]string{}}
	var registered []emulator.Trigger
	for _, f := range triggers.Table(cfg) {
		url, err := m.serve(t, f.Name, envfile.Variables(cfg))
		if err != nil {
			return nil, err
		}
		s.urls[f.Name] = url
		if !f.HTTP() {
			registered = append(registered, emulator.Trigger{
				Name: f.Name, Database: database, EventType: f.EventType, Document: f.Document,
				URL: url, Concurrency: f.Concurrency, Timeout: f.Timeout,
			})
		}
	}
	return s, m.emulator.Broker().Register(t.Context(), project, registered...)
}

// serve starts one function, until the test ends.
func (m *machine) serve(t testing.TB, function string, env []string) (string, error) {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), function)
	if err != nil {
		return "", err
	}
	defer log.Close()
	child, url, err := rehearsal.Serve(t.Context(), m.program, function, env, t.TempDir(), log)
	if err != nil {
		return "", err
	}
	t.Cleanup(func() {
		ended := child.Err()
		child.Stop(5 * time.Second)
		if ended != nil {
			t.Errorf("%s ended by itself: %v", function, ended)
		}
		if t.Failed() {
			t.Logf("the end of the log of %s:\n%s", function, process.Tail(log.Name(), 0))
		}
	})
	return url, nil
}

// services are the processes of one database.
type services struct {
	machine *machine
	name    string            // emulator.Name
	urls    map[string]string // by function
}

func (s *services) Idle(ctx context.Context) error {
	return s.machine.emulator.Broker().Idle(ctx, s.name)
}

func (s *services) URL(function string) string { return s.urls[function] }

func (s *services) Stats() emulator.Stats { return s.machine.emulator.Broker().Stats(s.name) }

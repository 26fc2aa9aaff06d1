package functions_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/endtoend"
	"example.com/relationindex/internal/identity/identitytest"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/relations"
)

// machine is started by the first test that needs it: the workers of a fuzz
// run need none.
var machine = sync.OnceValues(func() (*local.Machine, error) {
	return local.Start(context.Background(), emulator.Options{Plan: endtoend.Plan})
})

// day is the time of most first posts.
var day = endtoend.Day

// google stands in for what the verification of tokens asks.
var google *identitytest.Google

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "functions")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		google, err = identitytest.Start(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if started.Load() {
		if m, err := machine(); err == nil {
			_ = m.Emulator.Close()
			_ = os.Remove(m.Emulator.LogFile())
		}
	}
	return code
}

var started atomic.Bool

func theMachine(t testing.TB) *local.Machine {
	t.Helper()
	started.Store(true)
	m, err := machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// instance is another instance, whose calls interceptors see.
func (a *app) instance(interceptors ...wire.Interceptor) *relations.Index {
	a.T.Helper()
	client, err := local.Open(a.T.Context(), a.ID, theMachine(a.T).Emulator.FirestoreHost(), interceptors...)
	if err != nil {
		a.T.Fatal(err)
	}
	x, err := relations.New(client, chunker.New(client, chunker.Options{}), a.Config.RelationsOptions())
	if err != nil {
		a.T.Fatal(err)
	}
	return x
}

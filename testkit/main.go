// Package testkit has what the tests of several packages share: one emulator for a test process, a
// project for each test, and functions behind real triggers for tests that request them.
//
//	func TestMain(m *testing.M) { testkit.Main(m) }
//
//	func TestSomething(t *testing.T) {
//		a := testkit.NewApp(t, schema.Config{Capacity: 2})
//		a.Follow("bob", "ada")
//		a.Settle()
//		a.WantFeed("bob")
//	}
//
// The emulator starts at the first request for it. A run without such a test, or a worker of a fuzz
// run, starts no Java virtual machine.
package testkit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/relationindex/emulator"
	"example.com/relationindex/local"
	"example.com/relationindex/testkit/stories"
	"example.com/relationindex/testkit/tokens"
)

// dir holds the files of the process. Main sets it, and removes the directory.
var dir string

// Main runs the tests of a package, ends what they shared, and exits. It calls each setup before the
// tests, with a directory that is removed afterwards.
func Main(m *testing.M, setups ...func(dir string) error) { os.Exit(run(m, setups)) }

// Google stands in for Google's addresses that token verification calls. [MainWithTokens] starts it.
var Google *tokens.Google

// MainWithTokens is [Main] for tests whose clients have ID tokens of [Google].
func MainWithTokens(m *testing.M) {
	Main(m, func(dir string) (err error) {
		Google, err = tokens.Start(dir)
		return err
	})
}

func run(m *testing.M, setups []func(dir string) error) (code int) {
	var err error
	if dir, err = os.MkdirTemp("", "relationindex-test-"); err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		for _, setup := range setups {
			err = errors.Join(err, setup(dir))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if !started.Load() {
			return
		}
		if m, err := machine(); err == nil {
			if err := m.Emulator.Close(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}()
	return m.Run()
}

var started atomic.Bool

// Start is like [Machine], for an example function, which has no testing.TB.
func Start() (*local.Machine, error) { return machine() }

// machine starts an emulator without rules: the emulator would compile them for each project of a
// test. Tests of clients call [SetRules]. A test whose name says "twice" gets every event twice.
var machine = sync.OnceValues(func() (*local.Machine, error) {
	started.Store(true)
	return local.Start(context.Background(), emulator.Options{Plan: stories.Plan, LogFile: filepath.Join(dir, "emulator.log")})
})

// Machine returns the emulator of this test process, and a server of functions beside it. The first
// call starts both.
func Machine(tb testing.TB) *local.Machine {
	tb.Helper()
	m, err := machine()
	if err != nil {
		tb.Fatal("these tests need the Firestore emulator: ", err)
	}
	return m
}

// patience is the longest wait for a condition, on a busy machine.
const patience = 5 * time.Minute

// Until waits until a condition is true, for five minutes at most. A test that hung until the deadline
// of its package would lose the results of all other tests.
func Until(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-deadline.C:
			tb.Fatal("no sign of", what)
		}
	}
}

// NoWait is the chunker.Options.Wait of tests that examine each failure of a step: the step does not
// repeat a failed page.
func NoWait(context.Context, time.Duration) bool { return false }

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

	"example.com/relationindex/emulator"
	"example.com/relationindex/local"
	"example.com/relationindex/testkit/stories"
	"example.com/relationindex/testkit/tokens"
)

// dir holds what the process writes: set by Main, and removed by it.
var dir string

// Main runs the tests of a package, ends what they shared, and exits. Each setup
// is called before them with a directory that is removed afterwards.
func Main(m *testing.M, setups ...func(dir string) error) { os.Exit(run(m, setups)) }

// Google stands in for what the verification of tokens asks. [MainWithTokens] starts it.
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

// Start is [Machine] for an example function, which has no test to end.
func Start() (*local.Machine, error) { return machine() }

// machine is an emulator without rules, which it would compile for each project of a
// test: [SetRules] is for tests of clients. It delivers every event of a test whose
// name says "twice" twice.
var machine = sync.OnceValues(func() (*local.Machine, error) {
	started.Store(true)
	return local.Start(context.Background(), emulator.Options{Plan: stories.Plan, LogFile: filepath.Join(dir, "emulator.log")})
})

// Machine is the emulator of this test process, and a server of functions beside
// it. The first call starts both.
func Machine(tb testing.TB) *local.Machine {
	tb.Helper()
	m, err := machine()
	if err != nil {
		tb.Fatal("these tests need the Firestore emulator: ", err)
	}
	return m
}

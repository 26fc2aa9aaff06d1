// Package program builds the command line, and runs it in tests as a person does.
package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// These are the exit codes of the program.
const (
	OK     = 0
	Failed = 1 // the request failed, or verify found something
	Usage  = 2 // the arguments were not understood
)

// Path is the path of the program, while [Main] runs.
var Path string

// Main builds the program, calls setup, runs the tests of a package, and exits. setup may be nil. It
// gets a directory that is removed at the end, and returns a function that ends what setup has
// started.
func Main(m *testing.M, setup func(dir string) (end func() error, err error)) {
	os.Exit(tests{m, func(dir string) (func() error, error) {
		Path = filepath.Join(dir, "relationindex")
		if out, err := exec.Command("go", "build", "-o", Path, "example.com/relationindex/cmd/relationindex").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build: %w\n%s", err, out)
		}
		if setup == nil {
			return func() error { return nil }, nil
		}
		return setup(dir)
	}}.Run())
}

// MainOf is like [Main], but builds nothing: the test binary is the program, too. main is the program's main
// function. Scripts of package testscript find the program by its name.
func MainOf(m *testing.M, main func(), setup func(dir string) (end func() error, err error)) {
	testscript.Main(tests{m, func(dir string) (end func() error, err error) {
		if Path, err = exec.LookPath("relationindex"); err != nil {
			return nil, err
		}
		return setup(dir)
	}}, map[string]func(){"relationindex": main})
}

// tests are the tests of a package, and what they need.
type tests struct {
	m     *testing.M
	setup func(dir string) (end func() error, err error)
}

// Run returns the exit code of the tests.
func (t tests) Run() int {
	code, err := t.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func (t tests) run() (code int, err error) {
	for _, entry := range (&exec.Cmd{}).Environ() { // our variables of the shell that runs the tests
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "RELATIONINDEX_") || strings.HasSuffix(name, "_EMULATOR_HOST") {
			_ = os.Unsetenv(name)
		}
	}
	dir, err := os.MkdirTemp("", "relationindex-test-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	end, err := t.setup(dir)
	if err != nil {
		return 1, err
	}
	return t.m.Run(), end()
}

// Outcome is the result of a command.
type Outcome struct {
	Code           int
	Stdout, Stderr string
}

// Run runs the program with additional variables, and waits for its end. Only env names a project or
// an emulator.
func Run(t *testing.T, env []string, args ...string) Outcome {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), Path, args...)
	cmd.Env = append(append(cmd.Environ(), "GOOGLE_CLOUD_PROJECT=", "FIRESTORE_EMULATOR_HOST="), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return Outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// Want fails the test unless the command ended with code, and printed every text.
func (o Outcome) Want(t *testing.T, code int, texts ...string) {
	t.Helper()
	if o.Code != code {
		t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", o.Code, code, o.Stdout, o.Stderr)
	}
	for _, text := range texts {
		if !strings.Contains(o.Stdout+o.Stderr, text) {
			t.Errorf("it does not say %q\nstdout: %s\nstderr: %s", text, o.Stdout, o.Stderr)
		}
	}
}

// File writes a file, and returns its path.
func File(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Until waits for a condition, for five minutes at most. Its error is the context's.
func Until(ctx context.Context, condition func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/devhost/local"
)

// program is the built command, and running what its dev says of the system
// that the tests share.
var (
	program string
	running ready
)

// mostShown is how many malformed lines and violations a command prints.
const mostShown = 20

// ready is the line that dev --json prints.
type ready struct {
	Project       string `json:"project"`
	Database      string `json:"database"`
	FirestoreHost string `json:"firestoreHost"`
	FunctionsURL  string `json:"functionsURL"`
	WebURL        string `json:"webURL"`
	AuthHost      string `json:"authHost"`
	FeedURL       string `json:"feedURL"`
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run1(m))
}

func run1(m *testing.M) int {
	for _, entry := range (&exec.Cmd{}).Environ() { // what the shell that runs the tests has of ours
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "RELATIONINDEX_") || strings.HasSuffix(name, "_EMULATOR_HOST") {
			_ = os.Unsetenv(name)
		}
	}
	dir, err := os.MkdirTemp("", "relationindex-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "relationindex")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	system, err := startDev(dir, nil, "--capacity", "3", "--only-project") // tests have projects of their own without functions
	if err != nil {
		fmt.Fprintln(os.Stderr, "these tests need the Firestore emulator:", err)
		return 1
	}
	running = system.ready
	code := m.Run()
	if err := system.end(os.Interrupt); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// devProcess is a running dev.
type devProcess struct {
	cmd    *exec.Cmd
	ready  ready
	line   string        // what it printed
	stdout *bytes.Buffer // what it printed after that
	stderr *bytes.Buffer
	ended  chan error
}

// freePorts are for tests that run beside others.
var freePorts = []string{"--firestore-port", "0", "--auth-port", "0", "--web-port", "0", "--functions-port", "0"}

// startDev starts dev --json, and waits for its line. Its logs go below dir.
func startDev(dir string, env []string, args ...string) (*devProcess, error) {
	p := &devProcess{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, ended: make(chan error, 1)}
	p.cmd = exec.Command(program, append(append([]string{"dev", "--json"}, freePorts...), args...)...)
	p.cmd.Env = append(append(p.cmd.Environ(), env...), "TMPDIR="+dir)
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	first := make(chan string, 1)
	go func() {
		buffer := make([]byte, 64<<10)
		n, _ := out.Read(buffer) // nothing: see the decoding
		first <- string(buffer[:n])
		_, _ = p.stdout.ReadFrom(out) // until it ends
		p.ended <- p.cmd.Wait()
	}()
	p.line = <-first
	if err := json.Unmarshal([]byte(p.line), &p.ready); err != nil {
		return nil, fmt.Errorf("dev printed %q and %q: %w", p.line, p.stderr, errors.Join(err, <-p.ended))
	}
	return p, nil
}

// end sends a signal, waits, and reports everything that is not as it should be.
func (p *devProcess) end(signal os.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil {
		return err
	}
	var errs []error
	if err := <-p.ended; err != nil {
		errs = append(errs, fmt.Errorf("dev after %v: %w", signal, err))
	}
	if p.stdout.Len() > 0 || p.stderr.Len() > 0 {
		errs = append(errs, fmt.Errorf("dev printed more than its line: %q, %q", p.stdout, p.stderr))
	}
	return errors.Join(errs...)
}

// result is what a command did.
type outcome struct {
	code           int
	stdout, stderr string
}

// relationindex runs the program against the shared emulator.
func relationindex(t *testing.T, args ...string) outcome {
	t.Helper()
	return runProgram(t, []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost}, args...)
}

func runProgram(t *testing.T, env []string, args ...string) outcome {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(append(cmd.Environ(), "GOOGLE_CLOUD_PROJECT=", "FIRESTORE_EMULATOR_HOST="), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// said is what is on standard error after the line of the target.
func (o outcome) said() string {
	_, rest, found := strings.Cut(o.stderr, ", emulator "+running.FirestoreHost+"\n")
	if !found {
		return "no target: " + o.stderr
	}
	return rest
}

// want fails the test unless the command ended with code, and said every text.
func (o outcome) want(t *testing.T, code int, texts ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", o.code, code, o.stdout, o.stderr)
	}
	for _, text := range texts {
		if !strings.Contains(o.stdout+o.stderr, text) {
			t.Errorf("it does not say %q\nstdout: %s\nstderr: %s", text, o.stdout, o.stderr)
		}
	}
}

// client is a client of a project of the shared emulator. Only the project of
// dev has functions.
func client(t *testing.T, project string) *firestore.Client {
	t.Helper()
	c, err := local.Open(t.Context(), project, running.FirestoreHost)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// until waits for a condition.
func until(ctx context.Context, condition func() bool) error {
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

//go:build unix

package emulator_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/relationindex/emulator/process"
)

// start starts a shell script whose output goes to the end of a log.
func start(t *testing.T, logFile string, env []string, script ...string) *process.Child {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	c, err := process.Start(append([]string{sh, "-c"}, script...), env, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Stop(0) })
	return c
}

func newLog(t *testing.T) string { return filepath.Join(t.TempDir(), "log") }

// newFIFO makes a named pipe. A script that opens it says there that it runs;
// its reader comes to the end when the script and all its children are gone.
func newFIFO(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// running waits until the script of the FIFO says that it runs.
func running(t *testing.T, fifo string) (untilGone io.Reader) {
	t.Helper()
	f, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	r := bufio.NewReader(f)
	if line, err := r.ReadString('\n'); err != nil || line != "runs\n" {
		t.Fatalf("the script says %q, %v", line, err)
	}
	return r
}

func TestStopEndsTheGroup(t *testing.T) {
	fifo := newFIFO(t)
	c := start(t, newLog(t), nil, `exec 3>"$0"; sleep 1000 & echo runs >&3; wait`, fifo)
	untilGone := running(t, fifo)
	if pgid, err := syscall.Getpgid(c.PID()); err != nil || pgid != c.PID() {
		t.Errorf("the process group of %d is %d, %v", c.PID(), pgid, err)
	}
	if err := c.Err(); c.Ended() || err != nil {
		t.Errorf("it has ended: %v", err)
	}
	c.Stop(time.Hour)
	if err := c.Err(); !c.Ended() || err == nil || err.Error() != "signal: terminated" {
		t.Errorf("it ended with %v", err)
	}
	if _, err := io.ReadAll(untilGone); err != nil {
		t.Error(err)
	}
	c.Stop(time.Hour)
}

func TestStopKillsHungProcesses(t *testing.T) {
	fifo := newFIFO(t)
	c := start(t, newLog(t), nil, `exec 3>"$0"; trap '' TERM; echo runs >&3; while :; do sleep 1000; done`, fifo)
	untilGone := running(t, fifo)
	c.Stop(time.Millisecond)
	if err := c.Err(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("it ended with %v", err)
	}
	if _, err := io.ReadAll(untilGone); err != nil {
		t.Error(err)
	}
}

func TestFailureShowsChildOutput(t *testing.T) {
	logFile := newLog(t)
	tests := []struct{ script, want string }{
		{"echo one; echo two >&2; exit 3", "it ended (exit status 3); the end of " + logFile + ":\none\ntwo"},
		{"echo three", "it ended (exit status 0); the end of " + logFile + ":\nthree"}, // not what the first printed
		{"kill -9 $$", "it ended (signal: killed); the end of " + logFile + ":\n"},
	}
	for _, tt := range tests {
		c := start(t, logFile, nil, tt.script)
		<-c.Done()
		if got := c.Failure("it"); got.Error() != tt.want || !errors.Is(got, c.Err()) {
			t.Errorf("%s: got %q, want %q", tt.script, got, tt.want)
		}
	}
}

func TestProcessHasTheEnvironment(t *testing.T) {
	t.Setenv("OURS", "1")
	for want, env := range map[string][]string{
		"ours=1 theirs=": nil,
		"ours= theirs=2": {"THEIRS=2"},
		"ours= theirs=":  {},
	} {
		logFile := newLog(t)
		<-start(t, logFile, env, `echo "ours=$OURS theirs=$THEIRS"`).Done()
		if got := process.Tail(logFile, 0); got != want {
			t.Errorf("with %q: got %q, want %q", env, got, want)
		}
	}
}

func TestMissingProgramIsReported(t *testing.T) {
	log, err := os.Create(newLog(t))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := process.Start([]string{missing}, nil, log); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("got %v, want that %s is missing", err, missing)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := process.Start([]string{"sh"}, nil, log); !errors.Is(err, os.ErrClosed) {
		t.Errorf("with a closed log: got %v, want %v", err, os.ErrClosed)
	}
}

// serveScript serves a script whose Ready is ready, and returns the children that were started.
func serveScript(ctx context.Context, t *testing.T, port int, script string, ready bool) (started []*process.Child, host string, err error) {
	logFile := newLog(t)
	_, host, err = process.Server{
		Name:  "it",
		Ports: []int{port, 0},
		Start: func(ports []int) (*process.Child, error) {
			c := start(t, logFile, nil, script)
			started = append(started, c)
			return c, nil
		},
		Ready: func(context.Context, string) bool { return ready },
	}.Serve(ctx)
	return started, host, err
}

func TestServeProcess(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if started, _, err := serveScript(t.Context(), t, port, "", false); !errors.Is(err, syscall.EADDRINUSE) || len(started) > 0 {
		t.Errorf("at a port that is taken: %v after %d starts", err, len(started))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for at, tries := range map[int]int{0: 5, port: 1} { // another port, if any will do
		started, _, err := serveScript(t.Context(), t, at, `echo "listen: address already in use"; exit 1`, false)
		if !errors.Is(err, process.ErrPortTaken) || len(started) != tries {
			t.Errorf("a port that is taken meanwhile: %v after %d starts, want process.ErrPortTaken after %d", err, len(started), tries)
		}
	}
	if started, _, err := serveScript(t.Context(), t, 0, "echo out of order; exit 3", false); err == nil || len(started) != 1 || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("one that ends: %v after %d starts, want its last words", err, len(started))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if started, _, err := serveScript(ctx, t, 0, "exec sleep 1000", false); !errors.Is(err, context.DeadlineExceeded) || !started[0].Ended() {
		t.Errorf("one that does not answer: %v, ended: %v", err, started[0].Ended())
	}
	if started, host, err := serveScript(t.Context(), t, port, "exec sleep 1000", true); err != nil || started[0].Ended() || host != l.Addr().String() {
		t.Errorf("one that answers: %v at %s, ended: %v", err, host, started[0].Ended())
	}
}

// count is the numbers from first to last, a line each.
func count(first, last int) string {
	var b strings.Builder
	for i := first; i <= last; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

func TestProcessTail(t *testing.T) {
	tests := map[string]struct {
		text string
		from int64
		want string
	}{
		"nothing":                      {"", 0, ""},
		"a short log":                  {"one\ntwo\n\n", 0, "one\ntwo"},
		"the last lines of a long one": {count(1, 10_000), 0, count(9_986, 10_000)},
		"no stack traces":              {count(1, 13) + "one\n\tat java.lang.Thread.run\ntwo\n", 0, count(1, 13) + "one\ntwo"},
		"what began later":             {"one\ntwo\nthree\n", 4, "two\nthree"},
		"nothing since":                {"one\n", 4, ""},
		"emptied meanwhile":            {"", 4, ""},
		"the end of a line of 10 KiB":  {strings.Repeat("x", 10<<10), 0, strings.Repeat("x", 8<<10)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(log, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, want := process.Tail(log, tt.from), strings.TrimSpace(tt.want); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	t.Run("why it cannot be read", func(t *testing.T) {
		log := filepath.Join(t.TempDir(), "missing")
		if got := process.Tail(log, 0); !strings.Contains(got, log) {
			t.Errorf("got %q, want it to name %s", got, log)
		}
	})
}

//go:build long && unix

package emulator

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"example.com/relationindex/emulator/install"
	"example.com/relationindex/emulator/process"
)

// These tests start emulators of their own.

func TestEmulatorCrashEndsIdle(t *testing.T) {
	e, err := Start(t.Context(), Options{LogFile: filepath.Join(t.TempDir(), "log"), Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	idle := make(chan error)
	trigger := Trigger{Name: "t", EventType: "google.cloud.firestore.document.v1.written", Document: "a/{n}", URL: "http://127.0.0.1:1/"}
	if err := e.Broker().Register(t.Context(), "demo-a", trigger); err != nil {
		t.Fatal(err)
	}
	if err := e.firestore.put(t.Context(), "demo-a", "a/1", "v", "x"); err != nil { // nothing listens at the URL
		t.Fatal(err)
	}
	go func() { idle <- e.Broker().Idle(t.Context(), "demo-a") }()
	if err := syscall.Kill(e.process.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-e.Done()
	if err := <-idle; !errors.Is(err, ErrEnded) {
		t.Errorf("Idle returned %v, want ErrEnded", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// A killed test or program leaves no emulator: this test starts itself as a process that starts one, and kills it.
func TestKilledProgramLeavesNoEmulator(t *testing.T) {
	child := exec.CommandContext(t.Context(), os.Args[0], "-emulator.hang")
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	read := func() string {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Errorf("the child said %q: %v", line, err)
		}
		return strings.TrimSpace(line)
	}
	host, logFile := read(), read()
	defer func() {
		if err := os.Remove(logFile); err != nil {
			t.Error(err)
		}
	}()
	if !answersAt(host) {
		t.Errorf("nothing answers at %q", host)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := child.Wait(); !errors.As(err, &exit) {
		t.Error(err)
	}
	Eventually(t, "the emulator is gone", func() bool { return !answersAt(host) })
}

// An emulator that posts its events elsewhere is found out, and ended.
func TestStartRejectsEmulatorWithoutEvents(t *testing.T) {
	java, err := exec.LookPath("java")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel() // the barrier's event came to the wrong place
	}))
	defer elsewhere.Close()
	home := t.TempDir()
	place(t, `#!/bin/sh
echo $$ > "$0.pid"
for arg; do
	shift
	case $arg in --functions_emulator=*) arg=--functions_emulator=`+elsewhere.Listener.Addr().String()+`;; esac
	set -- "$@" "$arg"
done
exec `+java+` "$@"
`, home, "bin", "java")
	t.Setenv("JAVA_HOME", home)
	_, err = Start(ctx, Options{LogFile: filepath.Join(t.TempDir(), "log"), Logger: quiet})
	CheckErrors(t, err, []string{"no event came from the emulator at http://127.0.0.1:"})
	text, err := os.ReadFile(filepath.Join(home, "bin", "java.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || groupExists(pid) {
		t.Errorf("process %d is left (%v)", pid, err)
	}
}

// Between our looking for a free port and Java's taking it, a server of another process takes it, and answers.
func TestPortTakenByForeignProcess(t *testing.T) {
	java, err := exec.LookPath("java")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	place(t, `#!/bin/sh
if mkdir "$0.first"; then
	for arg; do case $arg in --port=*) echo "${arg#--port=}" >"$0.port"; esac; done
	mv "$0.port" "$0.wanted"
	until [ -e "$0.taken" ]; do sleep 0.01; done
fi
exec `+java+` "$@"
`, home, "bin", "java")
	script := filepath.Join(home, "bin", "java")
	stranger := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer stranger.Close()
	go func() {
		var port []byte
		Eventually(t, "the script says its port", func() bool {
			text, err := os.ReadFile(script + ".wanted")
			port = text
			return err == nil
		})
		l, err := net.Listen("tcp", "127.0.0.1:"+strings.TrimSpace(string(port)))
		if err != nil {
			t.Error(err)
			return
		}
		_ = stranger.Listener.Close()
		stranger.Listener = l
		stranger.Start()
		if err := os.WriteFile(script+".taken", nil, 0o600); err != nil {
			t.Error(err)
		}
	}()
	t.Setenv("JAVA_HOME", home)
	e, err := Start(t.Context(), Options{LogFile: filepath.Join(t.TempDir(), "log"), Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.FirestoreHost() == stranger.Listener.Addr().String() {
		t.Errorf("the emulator is said to be at %s, the stranger's", e.FirestoreHost())
	}
}

func TestEmulatorReportsPortInUse(t *testing.T) { // in words that package process knows
	paths, err := install.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	log, err := freshLog(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p, err := server(paths, Options{}, "127.0.0.1:1", log).Start([]int{l.Addr().(*net.TCPAddr).Port})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(stopGrace)
	<-p.Done()
	if err := p.Failure(what); !errors.Is(err, process.ErrPortTaken) {
		t.Errorf("got %v, want ErrPortTaken", err)
	}
}

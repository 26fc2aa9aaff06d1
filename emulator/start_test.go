//go:build unix

package emulator

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var quiet = slog.New(slog.DiscardHandler)

// groupExists says whether a process group has a process.
func groupExists(pgid int) bool { return syscall.Kill(-pgid, 0) == nil }

// answersAt says whether something listens.
func answersAt(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// It starts at a second port, because the first was taken meanwhile, and ends with its context.
func TestCloseLeavesOnlyTheLog(t *testing.T) {
	java, err := exec.LookPath("java")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	place(t, `#!/bin/sh
if [ ! -e "$0.tried" ]; then
	touch "$0.tried"
	echo java.net.BindException: Address already in use
	exit 1
fi
exec `+java+` "$@"
`, home, "bin", "java")
	t.Setenv("JAVA_HOME", home)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	logFile := filepath.Join(t.TempDir(), "emulator.log")
	rules := place(t, `rules_version = '2';
service cloud.firestore { match /databases/{d}/documents { match /open/{id} { allow write; } } }
`, t.TempDir(), "firestore.rules")
	e, err := Start(ctx, Options{RulesFile: rules, LogFile: logFile, JavaArgs: []string{"-Xmx256m"}, Logger: quiet})
	if err != nil {
		t.Fatal(err) // or the barrier is not above the rules
	}
	checkRules(t, e)
	pid := e.process.PID()
	if pgid, err := syscall.Getpgid(pid); err != nil || pgid != pid {
		t.Errorf("the process group of %d is %d, %v", pid, pgid, err)
	}
	if !groupExists(pid) || !answersAt(e.FirestoreHost()) || !answersAt(strings.TrimPrefix(e.URL(), "http://")) {
		t.Error("it does not run")
	}
	select {
	case <-e.Done():
		t.Error("Done is closed although it runs")
	default:
	}
	cancel()
	<-e.Done()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if groupExists(pid) || answersAt(e.FirestoreHost()) || answersAt(strings.TrimPrefix(e.URL(), "http://")) {
		t.Error("something is left")
	}
	text, err := os.ReadFile(e.LogFile())
	if err != nil || e.LogFile() != logFile || !strings.Contains(string(text), "FIRESTORE_EMULATOR_HOST="+e.FirestoreHost()) {
		t.Errorf("log file %s has %q, %v", e.LogFile(), text, err)
	}
	if err := e.Broker().Idle(t.Context(), ""); !errors.Is(err, ErrClosed) {
		t.Errorf("Idle returned %v, want ErrClosed", err)
	}
}

// checkRules finds that the rules bind a client.
func checkRules(t *testing.T, e *Emulator) {
	t.Helper()
	for collection, want := range map[string]int{"open": http.StatusOK, "closed": http.StatusForbidden} {
		url := "http://" + e.FirestoreHost() + "/v1/projects/demo-a/databases/(default)/documents/" + collection
		resp, err := http.DefaultClient.Post(url, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if resp.StatusCode != want {
			t.Errorf("%s answers %s, want %d", collection, resp.Status, want)
		}
	}
}

func TestOldJavaIsReported(t *testing.T) {
	home := t.TempDir()
	place(t, "#!/bin/sh\necho java.lang.UnsupportedClassVersionError: version 65.0 >&2\nexit 1\n", home, "bin", "java")
	t.Setenv("JAVA_HOME", home)
	t.Setenv("FIRESTORE_EMULATOR_BINARY_PATH", place(t, "", home, "emulator.jar"))
	_, err := Start(t.Context(), Options{LogFile: filepath.Join(t.TempDir(), "log"), Logger: quiet})
	CheckErrors(t, err, []string{"needs a newer Java", "version 65.0"})
}

func TestRequestedPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	t.Setenv("FIRESTORE_EMULATOR_BINARY_PATH", place(t, "", t.TempDir(), "emulator.jar"))
	for _, o := range []Options{{FirestorePort: port}, {BrokerPort: port}} {
		o.LogFile, o.Logger = filepath.Join(t.TempDir(), "log"), quiet
		if _, err := Start(t.Context(), o); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%d and %d: got %v, want that the address is in use", o.FirestorePort, o.BrokerPort, err)
		}
	}
}

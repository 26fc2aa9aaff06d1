package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestDevPrintsItsLine(t *testing.T) {
	address := regexp.MustCompile(`^127\.0\.0\.1:\d+$`)
	url := regexp.MustCompile(`^http://127\.0\.0\.1:\d+$`)
	if running.Project != demoProject || running.Database != "(default)" || !address.MatchString(running.FirestoreHost) || !url.MatchString(running.FunctionsURL) ||
		!url.MatchString(running.WebURL) || !url.MatchString(strings.TrimSuffix(running.FeedURL, "/Feed")) {
		t.Errorf("dev --json printed %+v", running)
	}
	if !address.MatchString(running.AuthHost) {
		t.Errorf("dev --json printed %+v, without authHost: the Auth emulator comes with 'cd web && npm ci'", running)
	}
}

func TestDevServesThePages(t *testing.T) {
	for _, path := range []string{"/", "/console/", "/config.json"} {
		resp, err := http.Get(running.WebURL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("GET %s: %s", path, resp.Status)
		}
	}
}

func TestIdleOverHTTP(t *testing.T) {
	get := func(query string) (int, string) {
		resp, err := http.Get(running.FunctionsURL + "/idle?" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if code, body := get("timeout=60s"); code != http.StatusOK {
		t.Errorf("idle: %d %s", code, body)
	}
	if code, body := get("timeout=1ns"); code != http.StatusGatewayTimeout {
		t.Errorf("idle within a nanosecond: %d %s", code, body)
	}
	if code, body := get("timeout=soon"); code != http.StatusBadRequest {
		t.Errorf("idle soon: %d %s", code, body)
	}
}

// Whatever ends dev, the emulator and the functions end with it.
func TestDevLeavesNothingBehind(t *testing.T) {
	signals := map[string]os.Signal{"interrupt": os.Interrupt, "terminate": syscall.SIGTERM}
	if runtime.GOOS == "linux" { // elsewhere nobody can tell the children
		signals["kill"] = syscall.SIGKILL
	}
	for name, signal := range signals {
		t.Run(name, func(t *testing.T) {
			system, err := startDev(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			children := below(t, system.cmd.Process.Pid)
			if len(children) < 3 {
				t.Errorf("dev has the children %v, want Java, Node and the functions", children)
			}
			err = system.end(signal)
			if err != nil && signal != syscall.SIGKILL {
				t.Error(err)
			}
			gone := func() bool {
				alive := processes(t)
				for _, pid := range children {
					if _, ok := alive[pid]; ok {
						return false
					}
				}
				return true
			}
			if signal != syscall.SIGKILL {
				if !gone() {
					t.Errorf("dev has ended and left some of %v behind", children)
				}
			} else if err := until(t.Context(), gone); err != nil {
				t.Errorf("some of %v outlive a killed dev", children)
			}
		})
	}
}

func TestDevAsText(t *testing.T) {
	port := strconv.Itoa(freePort(t))
	text := devText(t, "--capacity", "3", "--project", "demo-text", "--web-port", port)
	if begin := "The relation index is running.\n\napp      http://127.0.0.1:" + port + "\nconsole  http://127.0.0.1:" + port + "/console/\n"; !strings.HasPrefix(text, begin) {
		t.Errorf("dev does not begin with %q:\n%s", begin, text)
	}
	for _, want := range []string{
		"\nexport FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:",
		"\nexport FIRESTORE_EMULATOR_HOST=127.0.0.1:", "\nexport GOOGLE_CLOUD_PROJECT=demo-text\n",
		"\nexport RELATIONINDEX_CAPACITY=3\n", "/idle?timeout=60s", "relationindex-",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("dev does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "processes") || strings.Contains(text, "chaos") || strings.Contains(text, "sign in") {
		t.Errorf("dev says what is not so:\n%s", text)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// devText is what dev prints with the arguments until it is ready. It ends dev,
// and finds that nothing more is printed then.
func devText(t *testing.T, args ...string) string {
	t.Helper()
	return textOf(t, exec.CommandContext(t.Context(), program, append([]string{"dev"}, args...)...))
}

// textOf is devText of a command that may be elsewhere.
func textOf(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	cmd.Env = append(cmd.Environ(), "TMPDIR="+t.TempDir())
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	buffer := make([]byte, 4096)
	for !strings.Contains(text.String(), "Ctrl-C") {
		n, err := out.Read(buffer)
		text.Write(buffer[:n])
		if err != nil {
			t.Fatalf("%v after %q: %v, %s", err, text.String(), cmd.Wait(), &stderr) // Wait has written all of it
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(out)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if len(rest) > 0 || err != nil {
		t.Errorf("then it says %q, %v", rest, err)
	}
	return text.String()
}

// Where firebase-tools is not installed nobody can sign in, and dev says how to get it.
func TestDevWithoutFirebaseTools(t *testing.T) {
	var path []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) { //nolint:forbidigo // a test chooses what its child finds
		if _, err := os.Stat(filepath.Join(dir, "firebase")); err != nil {
			path = append(path, dir)
		}
	}
	t.Setenv("PATH", strings.Join(path, string(filepath.ListSeparator)))
	cmd := exec.CommandContext(t.Context(), program, "dev")
	cmd.Dir = t.TempDir()
	text := textOf(t, cmd)
	for _, want := range []string{"Nobody can sign in: the Auth emulator is not installed", "cd web && npm ci", "\napp      http://127.0.0.1:"} {
		if !strings.Contains(text, want) {
			t.Errorf("dev does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "FIREBASE_AUTH_EMULATOR_HOST") {
		t.Errorf("dev says what is not so:\n%s", text)
	}
}

func TestDevWithWorkersAndChaos(t *testing.T) {
	text := devText(t, "--workers", "2", "--chaos", "drop=0.1,duplicate=0.3,seed=7")
	for _, want := range []string{"\nThe functions are served by 2 processes.\n", "on purpose: --chaos duplicate=0.3,drop=0.1,seed=7\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("dev does not say %q:\n%s", want, text)
		}
	}
	runProgram(t, nil, "dev", "--workers", "0").want(t, exitUsage, "--workers 0", "1 to 16")
	runProgram(t, nil, "dev", "--workers", "17").want(t, exitUsage, "workers 17", "1 to 16")
	runProgram(t, nil, "dev", "--chaos", "drop=2").want(t, exitUsage, "--chaos", "drop=2", "0 to 1")
	runProgram(t, nil, "dev", "--chaos", "crash=1").want(t, exitUsage, `"crash=1"`, "duplicate, reorder, delay, drop or seed")
}

func TestDevTakesNoPortTwice(t *testing.T) {
	_, port, _ := strings.Cut(running.FirestoreHost, ":")
	out := runProgram(t, nil, "dev", "--firestore-port", port)
	out.want(t, exitFailed, "address already in use")
	_, port, _ = strings.Cut(strings.TrimPrefix(running.WebURL, "http://"), ":")
	runProgram(t, nil, "dev", "--web-port", port).want(t, exitFailed, "port of the web app", "address already in use")
	runProgram(t, nil, "dev", "--web-port", "70000").want(t, exitUsage, "web port 70000")
	runProgram(t, nil, "dev", "--firestore-port", "8080", "--functions-port", "8080").want(t, exitUsage, "must differ")
	runProgram(t, nil, "dev", "--capacity", "10001").want(t, exitUsage, "capacity 10001")
	runProgram(t, nil, "dev", "--capacity", "0").want(t, exitUsage, "--capacity 0")
}

// processes are the pids of all that run, each with its parent's. The dead that
// nobody has asked about yet do not run.
func processes(t *testing.T) map[int]int {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ps", "-A", "-o", "pid=,ppid=,stat=").Output()
	if err != nil {
		t.Fatal(err)
	}
	parents := map[int]int{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 3 || strings.HasPrefix(f[2], "Z") {
			continue
		}
		pid, _ := strconv.Atoi(f[0])
		parents[pid], _ = strconv.Atoi(f[1])
	}
	return parents
}

// below are the children of a process, and theirs.
func below(t *testing.T, pid int) []int {
	t.Helper()
	parents := processes(t)
	found := []int{pid}
	for i := 0; i < len(found); i++ {
		for child, parent := range parents {
			if parent == found[i] {
				found = append(found, child)
			}
		}
	}
	return found[1:]
}

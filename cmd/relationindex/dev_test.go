package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"example.com/relationindex/internal/cli/command"
)

func TestDevPrintsItsLine(t *testing.T) {
	address := regexp.MustCompile(`^127\.0\.0\.1:\d+$`)
	url := regexp.MustCompile(`^http://127\.0\.0\.1:\d+$`)
	if running.Project != command.DemoProject || running.Database != "(default)" || !address.MatchString(running.FirestoreHost) || !url.MatchString(running.FunctionsURL) ||
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

// wantGone finds that dev, which end ends by the signal, leaves none of its children
// behind, of which there are least or more. Only when it is killed they end after it.
func wantGone(t *testing.T, pid, least int, signal os.Signal, end func()) {
	t.Helper()
	children := below(t, pid)
	if len(children) < least {
		t.Errorf("dev has the children %v, want %d: Java and the functions, and Node where there is Auth", children, least)
	}
	end()
	gone := func() bool {
		alive := processes(t)
		return !slices.ContainsFunc(children, func(pid int) bool { _, ok := alive[pid]; return ok })
	}
	if gone() {
		return
	}
	if signal != os.Kill || until(context.WithoutCancel(t.Context()), gone) != nil {
		t.Errorf("some of %v outlive dev, ended by %v", children, signal)
	}
}

func TestDevAsText(t *testing.T) {
	text := devText(t, syscall.SIGTERM, nil, "--capacity", "3", "--project", "demo-text")
	begin := regexp.MustCompile(`^The relation index is running.\n\napp      (http://127\.0\.0\.1:\d+)\nconsole  http://127\.0\.0\.1:\d+/console/\n`)
	if !begin.MatchString(text) {
		t.Errorf("dev does not begin with %s:\n%s", begin, text)
	}
	for _, want := range []string{
		"\nexport FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:",
		"\nexport FIRESTORE_EMULATOR_HOST=127.0.0.1:", "\nexport GOOGLE_CLOUD_PROJECT=demo-text\n",
		"\nexport RELATIONINDEX_CAPACITY=3\n", "/idle?timeout=60s", "relationindex-", "made-up data",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("dev does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "processes") || strings.Contains(text, "chaos") || strings.Contains(text, "sign in") {
		t.Errorf("dev says what is not so:\n%s", text)
	}
}

// devText is what dev prints with the arguments until it is ready. It ends dev by
// a signal, and finds that nothing more is printed then, and no process is left.
func devText(t *testing.T, signal os.Signal, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, append(append([]string{"dev"}, freePorts...), args...)...)
	cmd.Dir = t.TempDir()
	children := 2
	if env == nil { // where firebase-tools is
		cmd.Dir = "."
		children = 3
	}
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Env = append(cmd.Env, "TMPDIR="+t.TempDir())
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
	wantGone(t, cmd.Process.Pid, children, signal, func() {
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(out)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		if len(rest) > 0 || err != nil {
			t.Errorf("then it says %q, %v", rest, err)
		}
	})
	return text.String()
}

// withoutFirebaseTools is a PATH on which nobody finds them.
func withoutFirebaseTools() string {
	var path []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) { //nolint:forbidigo // a test chooses what its child finds
		if _, err := os.Stat(filepath.Join(dir, "firebase")); err != nil {
			path = append(path, dir)
		}
	}
	return "PATH=" + strings.Join(path, string(filepath.ListSeparator))
}

// Where firebase-tools is not installed nobody can sign in, and dev says how to get it.
func TestDevWithWorkersAndChaosAndWithoutFirebaseTools(t *testing.T) {
	text := devText(t, os.Interrupt, []string{withoutFirebaseTools()}, "--workers", "2", "--chaos", "drop=0.1,duplicate=0.3,seed=7")
	for _, want := range []string{
		"Nobody can sign in: the Auth emulator is not installed", "cd web && npm ci", "\napp      http://127.0.0.1:",
		"\nThe functions are served by 2 processes.\n", "on purpose: --chaos duplicate=0.3,drop=0.1,seed=7\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("dev does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "FIREBASE_AUTH_EMULATOR_HOST") {
		t.Errorf("dev says what is not so:\n%s", text)
	}
	runProgram(t, nil, "dev", "--workers", "0").want(t, exitUsage, "--workers 0", "1 to 16")
	runProgram(t, nil, "dev", "--workers", "17").want(t, exitUsage, "workers 17", "1 to 16")
	runProgram(t, nil, "dev", "--chaos", "drop=2").want(t, exitUsage, "--chaos", "drop=2", "0 to 1")
	runProgram(t, nil, "dev", "--chaos", "crash=1").want(t, exitUsage, `"crash=1"`, "duplicate, reorder, delay, drop or seed")
}

func TestDevTakesNoPortTwice(t *testing.T) {
	for flag, at := range map[string]string{"firestore": running.FirestoreHost, "auth": running.AuthHost, "web": running.WebURL, "functions": running.FunctionsURL} {
		port := at[strings.LastIndex(at, ":")+1:]
		runProgram(t, nil, "dev", "--"+flag+"-port", port).want(t, exitFailed, "--"+flag+"-port "+port+": address already in use", "choose another; 0 takes a free one")
	}
	runProgram(t, nil, "dev", "--web-port", "70000").want(t, exitUsage, "web port 70000")
	runProgram(t, nil, "dev", "--firestore-port", "8080", "--functions-port", "8080").want(t, exitUsage, "must differ")
	runProgram(t, nil, "dev", "--capacity", "10001").want(t, exitUsage, "capacity 10001")
	runProgram(t, nil, "dev", "--capacity", "0").want(t, exitUsage, "--capacity 0")
}

// processes are the pids of all that run, each with its parent's. The dead that
// nobody has asked about yet do not run.
func processes(t *testing.T) map[int]int {
	t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "ps", "-A", "-o", "pid=,ppid=,stat=").Output()
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

//go:build long

package dev

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"example.com/relationindex/testkit/program"
)

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
	cmd := exec.CommandContext(t.Context(), program.Path, append(append([]string{"dev"}, program.FreePorts...), args...)...)
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
	program.Run(t, nil, "dev", "--workers", "0").Want(t, program.Usage, "--workers 0", "1 to 16")
	program.Run(t, nil, "dev", "--workers", "17").Want(t, program.Usage, "workers 17", "1 to 16")
	program.Run(t, nil, "dev", "--chaos", "drop=2").Want(t, program.Usage, "--chaos", "drop=2", "0 to 1")
	program.Run(t, nil, "dev", "--chaos", "crash=1").Want(t, program.Usage, `"crash=1"`, "duplicate, reorder, delay, drop, lose or seed")
}

func TestDemo(t *testing.T) {
	out := program.Run(t, []string{"TMPDIR=" + t.TempDir()}, "demo")
	out.Want(t, program.OK, ", 0 open jobs,", "verify: 0 violations")
	var titles strings.Builder
	for line := range strings.Lines(out.Stdout) {
		if number, _, found := strings.Cut(line, ". "); found && strings.Trim(number, "0123456789") == "" {
			titles.WriteString(line)
		}
	}
	program.Golden(t, "testdata/demo-steps.txt", titles.String())
	if _, counts, _ := strings.Cut(out.Stdout, "\nchecked "); strings.HasPrefix(counts, "0 follows") || strings.Contains(counts, " 0 relations,") {
		t.Errorf("verify has seen nothing: %s", out.Stdout)
	}
	if out.Stderr != "" {
		t.Errorf("it prints %q on standard error", out.Stderr)
	}
}

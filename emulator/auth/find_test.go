//go:build unix

package auth_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/emulator/auth"
)

// script writes a program.
func script(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestNotInstalled(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("PATH", dir)
	_, err := auth.Start(t.Context(), auth.Options{Project: project})
	if !errors.Is(err, auth.ErrNotInstalled) || !strings.Contains(err.Error(), "cd web && npm ci") || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v; want what to do", err)
	}
	script(t, filepath.Join(dir, "web", "node_modules", ".bin", "firebase"), "exit 1")
	if _, err := auth.Start(t.Context(), auth.Options{Project: project}); !errors.Is(err, auth.ErrNotInstalled) || !strings.Contains(err.Error(), `"node"`) {
		t.Errorf("without Node: %v", err)
	}
}

func TestWhereItIsInstalled(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	below := filepath.Join(dir, "project", "deep", "down")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	t.Setenv("PATH", bin)
	script(t, filepath.Join(bin, "firebase"), "echo that on PATH; exit 1")
	if _, err := auth.Start(t.Context(), auth.Options{Project: project}); err == nil || !strings.Contains(err.Error(), "that on PATH") {
		t.Errorf("on PATH: %v", err)
	}
	if err := os.Remove(filepath.Join(bin, "firebase")); err != nil {
		t.Fatal(err)
	}
	script(t, filepath.Join(bin, "node"), "exit 1")
	script(t, filepath.Join(dir, "project", "web", "node_modules", ".bin", "firebase"), "echo that of the parent; exit 1")
	if _, err := auth.Start(t.Context(), auth.Options{Project: project}); err == nil || !strings.Contains(err.Error(), "that of the parent") {
		t.Errorf("in a parent of the working directory: %v", err)
	}
}

// fake installs a program in place of firebase-tools. It is for what that does not do when asked.
func fake(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	script(t, filepath.Join(dir, "web", "node_modules", ".bin", "firebase"), text)
	t.Chdir(dir)
}

// What others took between our looking and the emulator's listening is tried again with other ports.
func TestAPortThatIsTaken(t *testing.T) {
	tries := filepath.Join(t.TempDir(), "tries")
	fake(t, `echo x >> "`+tries+`"; echo "Error: Could not start Authentication Emulator, port taken."; exit 1`)
	_, err := auth.Start(t.Context(), auth.Options{Project: project})
	if err == nil || !strings.Contains(err.Error(), "address already in use") || !strings.Contains(err.Error(), "port taken") {
		t.Errorf("Start: %v", err)
	}
	if text, err := os.ReadFile(tries); err != nil || len(text) != 5*len("x\n") {
		t.Errorf("tries: %q, %v; want five", text, err)
	}
}

func TestAFailureShowsTheLog(t *testing.T) {
	fake(t, "echo out of order; exit 3")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if _, err := auth.Start(t.Context(), auth.Options{Project: project}); err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("Start: %v", err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("a failed start leaves %v, %v", left, err)
	}
}

// A start that the caller gives up leaves no process.
func TestStartEndsWithItsContext(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	fake(t, `echo $$ > "`+runs+`.new"; mv "`+runs+`.new" "`+runs+`"; exec tail -f /dev/null`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := auth.Start(ctx, auth.Options{Project: project})
		ended <- err
	}()
	until(t, func() bool { _, err := os.Stat(runs); return err == nil })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Start: %v", err)
	}
	text, err := os.ReadFile(runs)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if left := alive(t, []int{pid}); len(left) > 0 {
		t.Errorf("process %v is still there", left)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	_, err := auth.Start(t.Context(), auth.Options{Project: "a/b"})
	if err == nil || !strings.Contains(err.Error(), `Project = "a/b"`) {
		t.Errorf("Start: %v", err)
	}
}

// until waits for what must come true.
func until(t *testing.T, is func() bool) {
	t.Helper()
	tick, limit := time.NewTicker(5*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("it does not come true")
		}
	}
}

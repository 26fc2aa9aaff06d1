//go:build unix

package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net"
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
	_, started := auth.Start(t.Context(), auth.Options{Project: project})
	for what, err := range map[string]error{"Find": auth.Find(), "Start": started} {
		if !errors.Is(err, auth.ErrNotInstalled) || !strings.Contains(err.Error(), "cd web && npm ci") || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v; want what to do", what, err)
		}
	}
	script(t, filepath.Join(dir, "web", "node_modules", ".bin", "firebase"), "exit 1")
	if err := auth.Find(); !errors.Is(err, auth.ErrNotInstalled) || !strings.Contains(err.Error(), `"node"`) {
		t.Errorf("Find without Node: %v", err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	below := filepath.Join(dir, "project", "deep", "down")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	t.Setenv("PATH", bin)
	script(t, filepath.Join(bin, "firebase"), "exit 1")
	if err := auth.Find(); err != nil {
		t.Errorf("on PATH: %v", err)
	}
	if err := os.Remove(filepath.Join(bin, "firebase")); err != nil {
		t.Fatal(err)
	}
	script(t, filepath.Join(bin, "node"), "exit 1")
	script(t, filepath.Join(dir, "project", "web", "node_modules", ".bin", "firebase"), "exit 1")
	if err := auth.Find(); err != nil {
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	if _, err := auth.Start(t.Context(), auth.Options{Project: project, Port: port}); err == nil || !strings.Contains(err.Error(), fmt.Sprint(port)) {
		t.Errorf("Start at a port that is taken: %v", err)
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
	_, err := auth.Start(t.Context(), auth.Options{Project: "a/b", Port: 70000})
	if err == nil || !strings.Contains(err.Error(), `Project = "a/b"`) || !strings.Contains(err.Error(), "Port = 70000") {
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

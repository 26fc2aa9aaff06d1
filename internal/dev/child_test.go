//go:build unix

package dev

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/relationindex/internal/config"
)

// A child that ends before it answers is not waited for, and its last words are
// in the error.
func TestAChildThatCannotServe(t *testing.T) {
	log := filepath.Join(t.TempDir(), "functions.log")
	_, _, err := startFunctions(t.Context(), []string{"sh", "-c", "echo out of order; exit 3"}, config.Functions{Project: "demo-a"}, log)
	if err == nil || !strings.Contains(err.Error(), log) || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("startFunctions: %v", err)
	}
	if _, _, err := startFunctions(t.Context(), []string{"/no/such/program"}, config.Functions{}, log); err == nil {
		t.Error("a program that is not there was started")
	}
}

// A child that does not answer is ended when the caller gives up.
func TestAChildThatHangs(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pidFile := filepath.Join(dir, "pid")
	go func() {
		defer cancel()
		for range time.Tick(10 * time.Millisecond) {
			if _, err := os.Stat(pidFile); err == nil || ctx.Err() != nil {
				return
			}
		}
	}()
	script := "echo $$ > new; mv new pid; exec sleep 1000"
	_, _, err := startFunctions(ctx, []string{"sh", "-c", "cd " + dir + "; " + script}, config.Functions{Project: "demo-a"}, filepath.Join(dir, "functions.log"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("startFunctions: %v, want %v", err, context.Canceled)
	}
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", pid, err)
	}
}

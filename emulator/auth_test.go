//go:build unix

package emulator_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/relationindex/emulator/auth"
)

const authProject = "demo-auth-test"

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

func TestAuthNotInstalled(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("PATH", dir)
	_, err := auth.Start(t.Context(), auth.Options{Project: authProject})
	if !errors.Is(err, auth.ErrNotInstalled) || !strings.Contains(err.Error(), "cd web && npm ci") || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v; want what to do", err)
	}
	script(t, filepath.Join(dir, "web", "node_modules", ".bin", "firebase"), "exit 1")
	if _, err := auth.Start(t.Context(), auth.Options{Project: authProject}); !errors.Is(err, auth.ErrNotInstalled) || !strings.Contains(err.Error(), `"node"`) {
		t.Errorf("without Node: %v", err)
	}
}

func TestAuthInstallLocations(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	below := filepath.Join(dir, "project", "deep", "down")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	t.Setenv("PATH", bin)
	script(t, filepath.Join(bin, "firebase"), "echo that on PATH; exit 1")
	if _, err := auth.Start(t.Context(), auth.Options{Project: authProject}); err == nil || !strings.Contains(err.Error(), "that on PATH") {
		t.Errorf("on PATH: %v", err)
	}
	if err := os.Remove(filepath.Join(bin, "firebase")); err != nil {
		t.Fatal(err)
	}
	script(t, filepath.Join(bin, "node"), "exit 1")
	script(t, filepath.Join(dir, "project", "web", "node_modules", ".bin", "firebase"), "echo that of the parent; exit 1")
	if _, err := auth.Start(t.Context(), auth.Options{Project: authProject}); err == nil || !strings.Contains(err.Error(), "that of the parent") {
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

func TestAuthStartErrorContainsLog(t *testing.T) {
	fake(t, "echo out of order; exit 3")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if _, err := auth.Start(t.Context(), auth.Options{Project: authProject}); err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("Start: %v", err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("a failed start leaves %v, %v", left, err)
	}
}

func TestAuthOptionsAreChecked(t *testing.T) {
	_, err := auth.Start(t.Context(), auth.Options{Project: "a/b"})
	if err == nil || !strings.Contains(err.Error(), `Project = "a/b"`) {
		t.Errorf("Start: %v", err)
	}
}

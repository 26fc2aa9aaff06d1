package deploy_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// forward is where the programs of a shell send their commands: see [system.paste].
var forward = flag.String("forward", "", "send a command to this `URL` instead of running tests")

// sent is what becomes of a command.
type sent struct{ Stdout, Problem string }

// forwarded sends a command, prints what it prints, and returns its exit code.
func forwarded(args []string) int {
	text, _ := json.Marshal(args)
	res, err := http.Post(*forward, "application/json", bytes.NewReader(text))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer res.Body.Close()
	var of sent
	if err := json.NewDecoder(res.Body).Decode(&of); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprint(os.Stdout, of.Stdout)
	fmt.Fprint(os.Stderr, of.Problem)
	return min(len(of.Problem), 1)
}

// paste runs a printed plan in a shell that stops at the first command that fails. Its gcloud
// and firebase are the machine's.
func (s *system) paste(t *testing.T, text string) {
	t.Helper()
	if out, err := s.tryPaste(t, text); err != nil {
		t.Fatalf("sh: %v\n%s", err, out)
	}
}

func (s *system) tryPaste(t *testing.T, text string) (out []byte, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var args []string
		if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		out, err := s.machine.Run(r.Context(), args)
		of := sent{Stdout: out}
		if err != nil {
			of.Problem = err.Error()
		}
		_ = json.NewEncoder(w).Encode(of)
	}))
	defer server.Close()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, program := range []string{"gcloud", "firebase"} {
		script := fmt.Sprintf("#!/bin/sh\nexec '%s' -forward=%s -- %s \"$@\"\n", binary, server.URL, program)
		if err := os.WriteFile(filepath.Join(dir, program), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sh := exec.CommandContext(t.Context(), "sh")
	sh.Stdin = strings.NewReader("PATH='" + dir + "':$PATH\n" + text)
	return sh.CombinedOutput()
}

// Pasted commands do not change foreign resources: a deployment stops at one, and a removal skips it.
func TestPastedCommandsWhereNamesAreTaken(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	s.foreign()
	o := options()
	p := plan(t, o)
	p.Files["source"] = []byte(s.machine.SourceDigest)
	if err := p.WriteFiles(s.machine.Work); err != nil {
		t.Fatal(err)
	}
	before, roles := s.names(), s.roles()
	if out, err := s.tryPaste(t, p.Text(s.machine.Work)); err == nil || !strings.Contains(string(out), "this deployment did not make it") {
		t.Errorf("a deployment where names are taken: %v, %s", err, out)
	}
	s.paste(t, removal(t, o, false).Text(""))
	for _, name := range before {
		if !slices.Contains(s.names(), name) {
			t.Errorf("%s is gone", name)
		}
	}
	if diff := cmp.Diff(roles, s.roles()); diff != "" {
		t.Errorf("roles (-before +after):\n%s", diff)
	}
}

// kinds are names without the numbers that Monitoring gives: a dashboard is made anew.
func (s *system) kinds() []string {
	names := s.names()
	for i, name := range names {
		names[i] = strings.TrimRight(name, "0123456789")
	}
	return names
}

// Pasted commands create the same resources as deploy. Pasted again, they change nothing.
func TestPastedCommands(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	o := options()
	p := plan(t, o)
	p.Files["source"] = []byte(s.machine.SourceDigest)
	if err := p.WriteFiles(s.machine.Work); err != nil {
		t.Fatal(err)
	}
	text := p.Text(s.machine.Work)
	s.paste(t, text)
	names, roles := s.kinds(), s.roles()
	s.paste(t, text)
	if diff := cmp.Diff(names, s.kinds()); diff != "" {
		t.Errorf("pasted again (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(roles, s.roles()); diff != "" {
		t.Errorf("pasted again, roles (-before +after):\n%s", diff)
	}
	s.changes()
	for _, told := range s.deployed(t, o) {
		if !strings.HasPrefix(told, "unchanged: ") && !strings.HasPrefix(told, "done: ") {
			t.Errorf("deploy finds %s", told)
		}
	}
	if changes := s.changes(); len(changes) > 0 {
		t.Errorf("deploy then sends %v", changes)
	}
	s.paste(t, removal(t, o, false).Text(""))
	if left := append(s.names(), s.projectRoles()...); len(left) > 0 {
		t.Errorf("what is pasted to undeploy leaves %v", left)
	}
}

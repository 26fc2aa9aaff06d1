//go:build long

package deploy_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"example.com/relationindex/cmd/relationindex/internal/deploy"
)

// system is a project in a fake cloud, which the real gcloud talks to.
type system struct {
	*cloud
	machine *deploy.Machine
	out     *bytes.Buffer // what scripts have printed
	close   func()

	mu       sync.Mutex
	firebase [][]string // the commands of firebase-tools
	// indexes is what firebase-tools prints of the database's. broken is asked before it deploys, for its error.
	indexes string
	broken  func() string
}

func newSystem(t *testing.T) *system {
	t.Helper()
	s, err := startSystem(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

// forward is where the programs of a script send their commands.
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

// startSystem makes a project. Scripts find programs gcloud and firebase in work, which send their commands here.
func startSystem(work string) (*system, error) {
	gcloud, err := gcloudProcess()
	if err != nil {
		return nil, err
	}
	s := &system{cloud: newCloud(), out: &bytes.Buffer{}}
	run := func(args []string) (string, error) {
		if args[0] == "firebase" {
			return s.runFirebase(args)
		}
		return gcloud.run(s.cloud, args[1:])
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var args []string
		if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		of := sent{}
		if of.Stdout, err = run(args); err != nil {
			of.Problem = err.Error()
		}
		_ = json.NewEncoder(w).Encode(of)
	}))
	s.close = func() { server.Close(); s.Close() }
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	bin, module := filepath.Join(work, "bin"), filepath.Join(work, "module")
	err = errors.Join(os.Mkdir(bin, 0o700), os.Mkdir(module, 0o700), os.WriteFile(filepath.Join(module, "go.mod"), []byte("module example.com/relationindex\n"), 0o600))
	for _, program := range []string{"gcloud", "firebase"} {
		script := fmt.Sprintf("#!/bin/sh\nexec '%s' -forward=%s -- %s \"$@\"\n", binary, server.URL, program)
		err = errors.Join(err, os.WriteFile(filepath.Join(bin, program), []byte(script), 0o700))
	}
	path := bin
	for _, entry := range (&exec.Cmd{}).Environ() {
		if dirs, ok := strings.CutPrefix(entry, "PATH="); ok {
			path += ":" + dirs
		}
	}
	s.machine = &deploy.Machine{
		Dir: module, Work: filepath.Join(work, "files"), Out: s.out, Env: []string{"DEPLOY_PAUSE=0", "PATH=" + path},
		SourceDigest: "0123456789abcdef0123456789abcdef", SourceBytes: 1000, RulesAPI: s.URL + "/firebaserules", FirestoreAPI: s.URL + "/firestore", UsageAPI: s.URL + "/serviceusage",
		Ask: func(_ context.Context, args []string) (string, error) { return run(args) },
	}
	return s, err
}

// installation is what a deployment leaves: tests that begin with it copy it.
type installation struct {
	state
	firebase [][]string // the commands of firebase-tools
	printed  string
}

// install deploys into a copy of what is there before.
func install(before state, o deploy.Options) (*installation, error) {
	work, err := os.MkdirTemp("", "deploy-test-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(work) }() // a temporary directory
	s, err := startSystem(work)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if before.resources != nil {
		s.state = before.copied()
	}
	p, err := deploy.New(o)
	if err != nil {
		return nil, err
	}
	if err := s.machine.Run(context.Background(), p); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, s.out)
	}
	return &installation{s.state, s.firebase, s.out.String()}, nil
}

// one is the first deployment that all tests share, and two has blue beside it, on a database of its own.
var (
	one = sync.OnceValues(func() (*installation, error) { return install(state{}, installedOptions()) })
	two = sync.OnceValues(func() (*installation, error) {
		first, err := one()
		if err != nil {
			return nil, err
		}
		return install(first.state, blue())
	})
)

// installed is a project with a first deployment, and the options that it was deployed with.
func installed(t *testing.T, what func() (*installation, error)) (*system, deploy.Options) {
	t.Helper()
	there, err := what()
	if err != nil {
		t.Fatal(err)
	}
	s := newSystem(t)
	s.state = there.copied()
	s.indexes = string(installedOptions().Indexes)
	return s, installedOptions()
}

// live is the release of the rules of (default).
const live = "cloud.firestore"

// runFirebase stands for firebase-tools: its flags are tested with its own
// definitions, and what it writes is the rules and the indexes.
func (s *system) runFirebase(args []string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.firebase = append(s.firebase, args)
	if args[1] == "firestore:indexes" {
		return cmp.Or(s.indexes, `{"indexes": [], "fieldOverrides": []}`), nil
	}
	if args[1] != "deploy" {
		return "", nil
	}
	if s.broken != nil {
		if says := s.broken(); says != "" {
			return says, errors.New("exit status 1")
		}
	}
	config, err := os.ReadFile(s.machine.Work + "/firebase.json")
	if err != nil {
		return "", err
	}
	var file struct {
		Firestore struct{ Database, Rules, Indexes string }
	}
	if err := json.Unmarshal(config, &file); err != nil {
		return "", err
	}
	s.cloud.mu.Lock()
	defer s.cloud.mu.Unlock()
	s.changed = append(s.changed, strings.Join(args[1:3], " "))
	if args[2] == "--only=firestore:rules" {
		text, err := os.ReadFile(filepath.Join(s.machine.Work, file.Firestore.Rules))
		s.rules[strings.TrimSuffix("cloud.firestore/"+file.Firestore.Database, "/(default)")] = string(text)
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(s.machine.Work, file.Firestore.Indexes))
	s.indexes = string(text)
	return "", err
}

// small are options of a first deployment with little to watch.
func small() deploy.Options {
	o := options()
	o.Config.Project, o.Source = "p", watched
	return o
}

// installedOptions are those of the deployment that tests share.
func installedOptions() deploy.Options {
	o := small()
	o.Config.CopiedFields = []string{"text", "a|b"}
	o.Notify = []string{"projects/p/notificationChannels/7"}
	return o
}

// blue are options of a second system of the project, on a database of its own.
func blue() deploy.Options {
	o := small()
	o.Name, o.Config.Database = "blue", "blue"
	return o
}

// watched is a small folder monitoring.
var watched = fstest.MapFS{
	"monitoring/metrics/runs.json":  {Data: []byte(`{"name": "DEPLOYMENT/runs", "description": "runs", "filter": "resource.labels.service_name=~\"^DEPLOYMENT-\""}`)},
	"monitoring/alerts/failed.json": {Data: []byte(`{"displayName": "DEPLOYMENT: failed", "combiner": "OR", "conditions": [{"displayName": "c", "conditionAbsent": {"filter": "x", "duration": "60s"}}]}`)},
	"monitoring/dashboard.json":     {Data: []byte(`{"displayName": "DEPLOYMENT", "gridLayout": {"widgets": []}}`)},
}

// run carries out a plan, and returns what its script printed.
func (s *system) run(t *testing.T, p *deploy.Plan) (string, error) {
	t.Helper()
	s.out.Reset()
	err := s.machine.Run(t.Context(), p)
	return s.out.String(), err
}

// deployed carries out a deployment that must succeed, and returns its outcomes: those of steps, and what was removed.
func (s *system) deployed(t *testing.T, o deploy.Options) []string {
	t.Helper()
	return s.done(t, plan(t, o))
}

func (s *system) done(t *testing.T, p *deploy.Plan) []string {
	t.Helper()
	out, err := s.run(t, p)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return outcomes(out)
}

var line = regexp.MustCompile(`(?m)^(?:\d+/\d+ )?(.*): (?:not yet, )*(\w+)$`)

// outcomes are the lines of a script that did something.
func outcomes(printed string) []string {
	var all []string
	for _, m := range line.FindAllStringSubmatch(printed, -1) {
		if m[2] != "unchanged" {
			all = append(all, m[2]+": "+m[1])
		}
	}
	return all
}

package deploy_test

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	module "example.com/relationindex"
	"example.com/relationindex/cmd/relationindex/internal/deploy"
	"example.com/relationindex/schema"
)

// system is a project in a fake cloud, which the real gcloud talks to.
type system struct {
	*cloud
	machine *deploy.Machine

	mu       sync.Mutex
	firebase [][]string // the commands of firebase-tools
	told     []string   // outcomes of steps
	waited   []time.Duration
	said     []string // notes
	// indexes is what firebase-tools prints of the database's.
	indexes string
}

func newSystem(t *testing.T) *system {
	t.Helper()
	s := &system{cloud: newCloud(t)}
	s.apis = deploy.APIs
	gcloud, err := gcloudProcess()
	if err != nil {
		t.Fatal(err)
	}
	s.machine = &deploy.Machine{
		Work: t.TempDir(), SourceDigest: "0123456789abcdef0123456789abcdef", SourceBytes: 1000, RulesAPI: s.URL + "/firebaserules", FirestoreAPI: s.URL + "/firestore",
		Run: func(_ context.Context, args []string) (string, error) {
			if args[0] == "firebase" {
				return s.runFirebase(args)
			}
			return gcloud.run(s.URL, args[1:])
		},
		Wait: func(_ context.Context, d time.Duration) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.waited = append(s.waited, d)
			return nil
		},
		Said: func(note string) { s.said = append(s.said, note) },
		Told: func(told deploy.Told) {
			if told.Outcome != "" {
				s.told = append(s.told, string(told.Outcome)+": "+told.Step.Title)
			}
		},
	}
	return s
}

// live is the release of the rules of (default).
const live = "cloud.firestore"

// runFirebase stands for firebase-tools: its flags are tested with its own
// definitions, and what it writes is the rules.
func (s *system) runFirebase(args []string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.firebase = append(s.firebase, args)
	if args[1] == "firestore:indexes" {
		return cmp.Or(s.indexes, `{"indexes": [], "fieldOverrides": []}`), nil
	}
	for _, arg := range args {
		if arg == "--only=firestore:rules" {
			text, err := os.ReadFile(s.machine.Work + "/firestore.rules")
			if err != nil {
				return "", err
			}
			config, err := os.ReadFile(s.machine.Work + "/firebase.json")
			if err != nil {
				return "", err
			}
			var file struct{ Firestore struct{ Database string } }
			if err := json.Unmarshal(config, &file); err != nil {
				return "", err
			}
			s.cloud.mu.Lock()
			s.rules[strings.TrimSuffix("cloud.firestore/"+file.Firestore.Database, "/(default)")] = string(text)
			s.cloud.mu.Unlock()
		}
	}
	return "", nil
}

// options are those of a first deployment.
func options() deploy.Options {
	return deploy.Options{
		Project: "p", Location: "nam5", Region: "us-central1", Name: deploy.DefaultName,
		Indexes: module.FirestoreIndexes, Rules: module.FirestoreRules,
		Config: schema.Config{Project: "p"}, Source: watched,
	}
}

// watched is a small folder monitoring.
var watched = fstest.MapFS{
	"monitoring/metrics/runs.json":  {Data: []byte(`{"name": "DEPLOYMENT/runs", "description": "runs", "filter": "resource.labels.service_name=~\"^DEPLOYMENT-\""}`)},
	"monitoring/alerts/failed.json": {Data: []byte(`{"displayName": "DEPLOYMENT: failed", "combiner": "OR", "conditions": [{"displayName": "c", "conditionAbsent": {"filter": "x", "duration": "60s"}}]}`)},
	"monitoring/dashboard.json":     {Data: []byte(`{"displayName": "DEPLOYMENT", "gridLayout": {"widgets": []}}`)},
}

func plan(t *testing.T, o deploy.Options) *deploy.Plan {
	t.Helper()
	p, err := deploy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// deployed carries out a deployment that must succeed, and returns its outcomes.
func (s *system) deployed(t *testing.T, o deploy.Options) []string {
	t.Helper()
	s.told = nil
	if err := s.machine.Deploy(t.Context(), plan(t, o)); err != nil {
		t.Fatalf("Deploy: %v\n%s", err, strings.Join(s.told, "\n"))
	}
	return s.told
}

// nothing is a module without a folder monitoring.
var nothing = fstest.MapFS{}

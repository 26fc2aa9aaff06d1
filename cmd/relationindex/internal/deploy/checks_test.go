//go:build long

package deploy_test

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	module "example.com/relationindex"
	"example.com/relationindex/cmd/relationindex/internal/deploy"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
)

// refused is what a deployment says that must not begin.
func (s *system) refused(t *testing.T, o deploy.Options) deploy.Failures {
	t.Helper()
	err := s.machine.Run(t.Context(), plan(t, o))
	if changes := s.changes(); len(changes) > 0 {
		t.Fatalf("something was changed: %v", changes)
	}
	var failures deploy.Failures
	if !errors.As(err, &failures) {
		t.Fatalf("Deploy: %v, want failed preconditions", err)
	}
	return failures
}

const storedDocument = "firestore/projects/p/databases/(default)/documents/_settings/functions"

// stored is what functions have stored that started with a configuration.
func (s *system) stored(cfg schema.Config) {
	variables := object{}
	for name, value := range config.Stored(cfg) {
		variables[name] = object{"stringValue": value}
	}
	s.resources[storedDocument] = object{"fields": object{"variables": object{"mapValue": object{"fields": variables}}}}
}

// Each precondition alone stops a deployment before anything is changed, and says what to run.
func TestPreconditions(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	fresh := func() {
		s.apis, s.runtimes, s.rules[live] = deploy.APIs, []string{"go126"}, ""
		s.resources["firestore/projects/p/databases/(default)"] = object{"type": "FIRESTORE_NATIVE", "locationId": "nam5"}
		s.quota, s.schedules, s.indexes, s.documents = 20_000, []string{"us-central1"}, "", nil
		s.resources["cloudresourcemanager/projects/p"] = object{"projectId": "p", "lifecycleState": "ACTIVE"}
		s.machine.SourceErr, s.machine.SourceBytes, s.firebase = nil, 1000, nil
		delete(s.resources, storedDocument)
	}
	run := s.machine.Ask
	for _, tt := range []struct {
		name  string
		spoil func(*deploy.Options)
		says  string
		fix   string
	}{
		{"an API is off", func(*deploy.Options) { s.apis = s.apis[1:] }, "not enabled: artifactregistry.googleapis.com", "gcloud services enable artifactregistry.googleapis.com --project=p"},
		{"the database is elsewhere", func(*deploy.Options) { s.database("FIRESTORE_NATIVE", "eur3") }, "the database is in eur3, not in nam5", "--location=eur3"},
		{"the database is of the other kind", func(*deploy.Options) { s.database("DATASTORE_MODE", "nam5") }, "the database is DATASTORE_MODE", "another project"},
		{"the database is of the Enterprise edition", func(*deploy.Options) {
			s.resources["firestore/projects/p/databases/(default)"] = object{"type": "FIRESTORE_NATIVE", "locationId": "nam5", "databaseEdition": "ENTERPRISE"}
		}, "Enterprise edition", "Standard edition"},
		{"nam7 has no place for triggers", func(o *deploy.Options) { o.Location = "nam7"; s.database("FIRESTORE_NATIVE", "nam7") }, "Google names no place for its triggers", "region"},
		{"the region has no scheduler", func(*deploy.Options) { s.schedules = []string{"us-east1"} }, "Cloud Scheduler is not in us-central1", "another region"},
		{"the quota of CPU is small", func(*deploy.Options) { s.quota = 10_000 }, "relationindex-on-job-written may have 20 CPU, the quota is 10", "add --max-instances=10"},
		{"there is no database", func(*deploy.Options) { delete(s.resources, "firestore/projects/p/databases/(default)") }, "was not found", "gcloud firestore databases create --project=p --database='(default)' --location=nam5"},
		{"the runtime is not offered", func(*deploy.Options) { s.runtimes = []string{"go125"} }, "us-central1 has no go126", "gcloud functions regions list"},
		{"the region is not the location's", func(o *deploy.Options) { o.Region = "us-east1" }, "the functions would be in us-east1: must be us-central1", "region"},
		{"a region has another's functions", func(o *deploy.Options) {
			o.Location, o.Region = "us-east1", "us-central1"
			s.database("FIRESTORE_NATIVE", "us-east1")
		}, "must be us-east1", "region"},
		{"an emulator is named", func(o *deploy.Options) { o.Config.EmulatorHost = "127.0.0.1:8080" }, `FIRESTORE_EMULATOR_HOST="127.0.0.1:8080" is set`, "unset FIRESTORE_EMULATOR_HOST"},
		{"the Auth emulator is named", func(o *deploy.Options) { o.Config.AuthEmulatorHost = "127.0.0.1:9099" }, `FIREBASE_AUTH_EMULATOR_HOST="127.0.0.1:9099" is set`, "unset"},
		{"another machine's file", func(o *deploy.Options) {
			s.stored(schema.Config{Capacity: 500, NoOwnPosts: true})
			o.Config.Capacity = 100
		}, "RELATIONINDEX_CAPACITY: the functions run with 500, here it is 100", "--differ RELATIONINDEX_NO_OWN_POSTS,RELATIONINDEX_CAPACITY"},
		{"a forgotten variable", func(o *deploy.Options) {
			s.stored(schema.Config{Capacity: 500, NoOwnPosts: true})
			o.Config.Capacity, o.Differ = 100, []string{"RELATIONINDEX_CAPACITY"}
		}, "RELATIONINDEX_NO_OWN_POSTS: the functions run with true, here it is the default, false", "--differ RELATIONINDEX_NO_OWN_POSTS"},
		{"a variable is wrong", func(o *deploy.Options) { o.ConfigErr = errors.New("RELATIONINDEX_FEED_RATE=-1: must be") }, "RELATIONINDEX_FEED_RATE=-1", "config check"},
		{"the indexes do not carry the capacity", func(o *deploy.Options) {
			o.Indexes = []byte(strings.Replace(string(module.FirestoreIndexes), `{ "collectionGroup": "_relations", "fieldPath": "followers", "indexes": [] },`, "", 1))
			o.Config.Capacity = 20_000
		}, "RELATIONINDEX_CAPACITY=20000", "config check"},
		{"the indexes lack a renamed collection", func(o *deploy.Options) { o.Config.Users, o.RulesKind = "people", deploy.KeepRules }, `{"collectionGroup":"people","fieldPath":"followers_index","indexes":[]}`, "config check"},
		{"the rules lack a renamed collection", func(o *deploy.Options) { o.Config.Followers = "fans" }, `RELATIONINDEX_FOLLOWERS="fans": firestore.rules has no match /fans/{`, "rename the collections in a copy of firestore.rules"},
		{"too much would be uploaded", func(*deploy.Options) { s.machine.SourceBytes = 3 << 20 }, "3145728 bytes", ".gcloudignore"},
		{"the upload is not known", func(*deploy.Options) { s.machine.SourceErr = errors.New("gcloud meta: broken") }, "gcloud meta: broken", ".gcloudignore"},
		{"the project is going", func(*deploy.Options) {
			s.resources["cloudresourcemanager/projects/p"] = object{"projectId": "p", "lifecycleState": "DELETE_REQUESTED"}
		}, "DELETE_REQUESTED", "gcloud projects list"},
		{"the rules are somebody's", func(*deploy.Options) { s.rules[live] = appRules("") }, "missing, or changed:\n    function signedIn() {", "put what stands between its marks into your rules"},
		{"the rules are ours of another kind", func(*deploy.Options) { s.rules[live] = string(module.FirestoreFeedOnlyRules) }, "the database has other rules", "it has those of --rules feed-only: add these flags"},
		{"the database is closed, and has users", func(*deploy.Options) {
			s.rules[live], s.documents = locked, map[string]int{"users": 1}
		}, "only servers use it, and it has users or posts", "--rules keep"},
		{"a restored database has users, and no rules", func(*deploy.Options) { s.documents = map[string]int{"posts": 1} }, "no client may read or write this database now", "firebase deploy --only firestore:rules"},
		{"the indexes are an app's", func(*deploy.Options) {
			s.indexes = `{"indexes": [], "fieldOverrides": [{"collectionGroup": "x", "fieldPath": "y", "indexes": []}]}`
		}, "_relations (followers CONTAINS, createdAt DESCENDING)", "in the app"},
		{"gcloud is signed out", func(*deploy.Options) { s.without(run, "gcloud auth print-access-token") }, "refused", "gcloud auth login"},
		{"gcloud is not there", func(*deploy.Options) { s.without(run, "gcloud") }, "refused", "install the gcloud SDK"},
		{"firebase-tools is not there", func(*deploy.Options) { s.without(run, "firebase --version") }, "refused", "npm ci"},
		{"firebase-tools is signed out", func(*deploy.Options) { s.without(run, "firebase firestore:indexes") }, "refused", "firebase login"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fresh()
			s.machine.Ask = run
			o := small()
			tt.spoil(&o)
			failures := s.refused(t, o)
			if first := failures[0]; !strings.Contains(first.Problem, tt.says) || !strings.Contains(first.Fix, tt.fix) {
				t.Errorf("it says %+v, want %q, and to run %q", failures, tt.says, tt.fix)
			}
			if n := len(failures); n > 2 || n == 2 && !strings.Contains(failures[1].Problem, "not asked yet") {
				t.Errorf("it says %v, want one failure, and what could not be asked", failures)
			}
		})
	}
}

func (s *system) database(kind, location string) {
	s.resources["firestore/projects/p/databases/(default)"] = object{"type": kind, "locationId": location}
}

// without makes commands fail that begin so.
func (s *system) without(run func(context.Context, []string) (string, error), prefix string) {
	s.machine.Ask = func(ctx context.Context, args []string) (string, error) {
		if strings.HasPrefix(strings.Join(args, " "), prefix) {
			return "", &exec.Error{Name: args[0], Err: errors.New("refused")}
		}
		return run(ctx, args)
	}
}

// The error names all failures, not only the first.
func TestAllFailuresAreReportedTogether(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	s.apis = s.apis[2:]
	o := small()
	o.Region, o.Config.EmulatorHost, o.ConfigErr = "europe-west1", "127.0.0.1:8080", errors.New("RELATIONINDEX_FEED_RATE=-1")
	failures := s.refused(t, o)
	if len(failures) != 5 { // and what could not be asked without the APIs
		t.Errorf("it tells %d: %v", len(failures), failures)
	}
	if text := failures.Error(); !strings.Contains(text, "nothing was changed; 5 preconditions do not hold") || !strings.Contains(text, "runtime, scheduler, quota, database, one system, one region, indexes, variables, rules") {
		t.Errorf("it says %s", text)
	}
}

// An app's own rules and indexes that have ours stay as they are, and so do those that nobody looks at. A new database gets ours.
func TestRulesAndIndexesOfAnApp(t *testing.T) {
	t.Parallel()
	s, o := installed(t, one)
	if first, err := one(); err != nil || len(first.firebase) != 4 { // its version, the indexes there, indexes, rules
		t.Errorf("firebase-tools ran %d times: %v, %v", len(first.firebase), first.firebase, err)
	}
	if s.rules[live] != string(deploy.Uploaded(module.FirestoreRules)) {
		t.Error("other rules were written")
	}
	mine := appRules(deploy.Block(module.FirestoreRules))
	indexes := strings.Replace(string(module.FirestoreIndexes), `"fieldOverrides": [`, `"fieldOverrides": [{"collectionGroup": "x", "fieldPath": "y", "indexes": []},`, 1)
	for _, kind := range []string{"", deploy.KeepRules} {
		s.rules[live], s.indexes = mine, indexes
		o.RulesKind = kind
		s.changes()
		if got := s.deployed(t, o); len(got) > 0 || len(s.changes()) > 0 || s.rules[live] != mine || s.indexes != indexes {
			t.Errorf("with rules %q it does %q", kind, got)
		}
		mine = appRules("")
	}
	o.RulesKind = ""
	// A restored database has neither rules nor time-to-live policies: these come back, and rules by hand, because it has users.
	s.indexes, s.rules[live], s.documents = strings.ReplaceAll(string(module.FirestoreIndexes), `, "ttl": true`, ""), string(deploy.Uploaded(module.FirestoreRules)), map[string]int{"users": 1}
	if got := s.deployed(t, o); len(got) != 1 || got[0] != "done: indexes, and time-to-live policies" {
		t.Errorf("into a restored database it does %q", got)
	}
}

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
	err := s.machine.Deploy(t.Context(), plan(t, o))
	if changes := s.changes(); len(changes) > 0 {
		t.Fatalf("something was changed: %v", changes)
	}
	if len(s.firebase) > 2 {
		t.Fatalf("firebase-tools ran: %v", s.firebase)
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
		s.resources["cloudresourcemanager/projects/p"] = object{"projectId": "p", "lifecycleState": "ACTIVE"}
		s.machine.SourceErr, s.machine.SourceBytes, s.firebase = nil, 1000, nil
		delete(s.resources, storedDocument)
	}
	run := s.machine.Run
	for _, tt := range []struct {
		name  string
		spoil func(*deploy.Options)
		says  string
		fix   string
	}{
		{"an API is off", func(*deploy.Options) { s.apis = s.apis[1:] }, "not enabled: artifactregistry.googleapis.com", "gcloud services enable artifactregistry.googleapis.com --project=p"},
		{"the database is elsewhere", func(*deploy.Options) { s.database("FIRESTORE_NATIVE", "eur3") }, "the database is in eur3, not in nam5", "--location=eur3"},
		{"the database is of the other kind", func(*deploy.Options) { s.database("DATASTORE_MODE", "nam5") }, "the database is DATASTORE_MODE", "another project"},
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
		{"the indexes lack a renamed collection", func(o *deploy.Options) { o.Config.Users, o.RulesFile = "people", deploy.KeepRules }, `{"collectionGroup":"people","fieldPath":"followers_index","indexes":[]}`, "config check"},
		{"the rules lack a renamed collection", func(o *deploy.Options) { o.Config.Followers = "fans" }, `RELATIONINDEX_FOLLOWERS="fans": firestore.rules has no match /fans/{`, "rename the collections in firestore.rules"},
		{"so do a person's", func(o *deploy.Options) {
			o.Config.Followers, o.RulesFile, o.OwnRules = "fans", "my.rules", []byte("match /users/{u}/followers/{f} {}")
		}, "/fans/{", "--rules"},
		{"too much would be uploaded", func(*deploy.Options) { s.machine.SourceBytes = 3 << 20 }, "3145728 bytes", ".gcloudignore"},
		{"the upload is not known", func(*deploy.Options) { s.machine.SourceErr = errors.New("gcloud meta: broken") }, "gcloud meta: broken", ".gcloudignore"},
		{"the project is going", func(*deploy.Options) {
			s.resources["cloudresourcemanager/projects/p"] = object{"projectId": "p", "lifecycleState": "DELETE_REQUESTED"}
		}, "DELETE_REQUESTED", "gcloud projects list"},
		{"the rules are somebody's", func(*deploy.Options) { s.rules[live] = "rules_version='2'; service cloud.firestore { match /mine {} }" }, "rules that are not ours", "--rules FILE"},
		{"gcloud is signed out", func(*deploy.Options) { s.without(run, "gcloud auth print-access-token") }, "refused", "gcloud auth login"},
		{"gcloud is not there", func(*deploy.Options) { s.without(run, "gcloud") }, "refused", "install the gcloud SDK"},
		{"firebase-tools is not there", func(*deploy.Options) { s.without(run, "firebase --version") }, "refused", "npm ci"},
		{"firebase-tools is signed out", func(*deploy.Options) { s.without(run, "firebase firestore:indexes") }, "refused", "firebase login"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fresh()
			s.machine.Run = run
			o := options()
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
	s.machine.Run = func(ctx context.Context, args []string) (string, error) {
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
	o := options()
	o.Region, o.Config.EmulatorHost, o.ConfigErr = "europe-west1", "127.0.0.1:8080", errors.New("RELATIONINDEX_FEED_RATE=-1")
	failures := s.refused(t, o)
	if len(failures) != 5 { // and what could not be asked without the APIs
		t.Errorf("it tells %d: %v", len(failures), failures)
	}
	if text := failures.Error(); !strings.Contains(text, "nothing was changed; 5 preconditions do not hold") || !strings.Contains(text, "runtime, database, one system, indexes, variables, rules") {
		t.Errorf("it says %s", text)
	}
}

func TestForeignResourceWithOurNameIsNotOverwritten(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	s.foreign()
	failures := s.refused(t, options())
	text := failures.Error()
	for _, want := range []string{"service account relationindex-feed", "function relationindex-sweep", "function relationindex-feed", "scheduler job relationindex-sweep", "log-based metric relationindex/runs"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not name %s: %s", want, text)
		}
	}
	if len(failures) != 5 {
		t.Errorf("it tells %d: %s", len(failures), text)
	}
}

// replaced deploys where that replaces rules: it stops once, and says what they are
// and how to go on, and goes on so.
func (s *system) replaced(t *testing.T, o deploy.Options, says string) {
	t.Helper()
	was := s.rules[live]
	s.changes()
	s.firebase = nil
	failures := s.refused(t, o)
	if len(failures) != 1 || !strings.Contains(failures[0].Problem, says) || s.rules[live] != was {
		t.Fatalf("it says %v, want %q; the rules are %s", failures, says, s.rules[live])
	}
	_, digest, ok := strings.Cut(failures[0].Fix, "--replace-rules=")
	if !ok {
		t.Fatalf("to go on it says %s", failures[0].Fix)
	}
	o.ReplaceRules, _, _ = strings.Cut(digest, ";")
	s.deployed(t, o)
	o.ReplaceRules = ""
	s.deployed(t, o) // once
}

// A locked database is opened to clients only on request, after a list of its contents. An empty one is
// opened without a request.
func TestOpeningLockedDatabaseAsksFirst(t *testing.T) {
	t.Parallel()
	const locked = "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{database}/documents {\n    match /{document=**} {\n      allow read, write: if false;\n    }\n  }\n}\n"
	for name, rules := range map[string]string{"its rules are locked": locked, "it has no rules": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSystem(t)
			o := options()
			o.NoFeed, o.Source, s.rules[live] = true, nothing, rules
			s.documents = map[string]int{"users": 1, "posts": 12_345}
			own := o
			own.RulesFile, own.OwnRules = "my.rules", []byte("// mine")
			if failures := s.refused(t, own); len(failures) != 1 || !strings.Contains(failures[0].Problem, "By the rules of my.rules, clients may get in. See ") || strings.Contains(failures[0].Fix, "FILE") {
				t.Errorf("of rules of a person's own it says %v", failures)
			}
			s.firebase = nil
			if failures := s.refused(t, o); len(failures) != 1 || !strings.Contains(failures[0].Problem, "now, because "+name+": only servers") || !strings.Contains(failures[0].Fix, "add --rules FILE") {
				t.Errorf("it says %v", failures)
			}
			s.replaced(t, o, "The database (default) of the project p has 1 document in users, and 12,345 documents in posts.")
			s.documents, s.rules[live] = nil, rules
			s.deployed(t, o)
			if !strings.HasSuffix(s.rules[live], string(module.FirestoreRules)) {
				t.Errorf("the rules are %s", s.rules[live])
			}
		})
	}
}

// With rules of their own a person has merged ours, and with keep nothing is deployed.
func TestOwnRulesAndKeepAreDeployed(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	const mine = "service cloud.firestore { match /mine {} }"
	s.rules[live] = mine
	o := options()
	o.NoFeed, o.Source = true, nothing
	o.RulesFile = deploy.KeepRules
	s.deployed(t, o)
	if s.rules[live] != mine {
		t.Errorf("the rules are %s", s.rules[live])
	}
	o.RulesFile, o.OwnRules = "both.rules", []byte("// both")
	s.replaced(t, o, "rules that are not ours")
	o.OwnRules = []byte("// both, changed")
	s.deployed(t, o)
	if _, text, _ := strings.Cut(s.rules[live], "\n"); text != "// both, changed" {
		t.Errorf("the rules are %s", s.rules[live])
	}
	s.rules[live] += "// by hand"
	s.replaced(t, o, "rules that are not ours")
}

// Rules of an earlier release, on which clients may depend, are replaced only on request, and
// so are feed-only and standard rules by each other. A deployment that omits feed-only always stops.
func TestRulesAreReplacedOnlyOnRequest(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	o := options()
	o.NoFeed, o.Source = true, nothing
	s.deployed(t, o)
	o.Rules = append([]byte("// a newer release\n"), o.Rules...)
	s.replaced(t, o, "ours of another release")
	private, standard := o, o
	private.RulesFile, private.Rules, private.NoFeed = deploy.FeedOnlyRules, module.FirestoreFeedOnlyRules, false
	s.replaced(t, private, "by which clients read relations")
	if !strings.HasSuffix(s.rules[live], string(module.FirestoreFeedOnlyRules)) {
		t.Fatalf("the rules are %s", s.rules[live])
	}
	s.changes()
	s.firebase = nil
	failures := s.refused(t, o)
	if len(failures) != 1 || !strings.Contains(failures[0].Problem, "those of --rules feed-only") || !strings.Contains(failures[0].Fix, "--rules standard") {
		t.Errorf("without --rules feed-only it says %v", failures)
	}
	standard.RulesFile = deploy.StandardRules
	s.replaced(t, standard, "by which clients do not read relations")
	if !strings.HasSuffix(s.rules[live], string(o.Rules)) {
		t.Errorf("the rules are %s", s.rules[live])
	}
}

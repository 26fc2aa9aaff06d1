package deploy_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	module "example.com/relationindex"
	"example.com/relationindex/cmd/relationindex/internal/deploy/coexist"
)

// The rules and indexes of an app before relationindex. One of its overrides lacks what ours
// needs, one has more.
const (
	appRules = `rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /orders/{order} { allow read: if request.auth != null; }
  }
}
`
	appIndexes = `{
  // of the shop
  "indexes": [
    { "collectionGroup": "orders", "queryScope": "COLLECTION", "fields": [{ "fieldPath": "status", "order": "ASCENDING" }, { "fieldPath": "at", "order": "DESCENDING" }] }
  ],
  "fieldOverrides": [
    { "collectionGroup": "requests", "fieldPath": "followerId", "indexes": [{ "order": "ASCENDING", "queryScope": "COLLECTION" }] },
    { "collectionGroup": "comments", "fieldPath": "text", "indexes": [{ "order": "ASCENDING", "queryScope": "COLLECTION" }] }
  ]
}`
)

// merged are the app's rules with ours in them.
func merged(t *testing.T) string {
	t.Helper()
	const inside = "match /databases/{database}/documents {\n"
	at := strings.Index(appRules, "    match /orders")
	own := appRules[at : strings.Index(appRules[at:], "\n")+at+1]
	text := strings.Replace(string(module.FirestoreRules), inside, inside+own, 1)
	if !strings.Contains(text, own) {
		t.Fatal("our rules have no such line")
	}
	return text
}

// An app with its own rules, indexes and functions installs relationindex, sees what its next
// firebase deploy would undo, and uninstalls.
func TestDeploymentIntoExistingApp(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	s.rules[live] = appRules
	const own = "projects/p/locations/us-central1/functions/charge"
	s.resources["cloudfunctions/"+own] = object{"name": own, "state": "ACTIVE", "environment": "GEN_2", "labels": object{"deployment-tool": "cli-firebase"}}
	before := s.names()
	app, err := coexist.ParseIndexes([]byte(appIndexes))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := coexist.ParseIndexes(module.FirestoreIndexes)
	if err != nil {
		t.Fatal(err)
	}
	s.indexes = appIndexes

	// The first deployment shows both conflicts, and changes nothing.
	o := options()
	failures := s.refused(t, o)
	if len(failures) != 2 {
		t.Fatalf("it says %v", failures)
	}
	fields, rules := failures[0], failures[1]
	if want := "requests.followerId: the app has ASCENDING of one collection; relationindex needs ASCENDING of the collection group"; fields.Problem != want {
		t.Errorf("of indexes it says %q", fields.Problem)
	}
	for _, want := range []string{"gone then: /orders/{}\n", ", /_relations/{}, ", "\n-    match /orders/{order} { allow read: if request.auth != null; }\n"} {
		if !strings.Contains(rules.Problem, want) {
			t.Errorf("of rules it does not say %q: %s", want, rules.Problem)
		}
	}
	const both = `{"collectionGroup":"requests","fieldPath":"followerId","indexes":[{"order":"ASCENDING","queryScope":"COLLECTION"},{"order":"ASCENDING","queryScope":"COLLECTION_GROUP"}]}`
	if !strings.Contains(fields.Fix, both) {
		t.Errorf("the fix is %s", fields.Fix)
	}

	// With the override that serves both, and its rules in one file, it deploys.
	s.indexes = strings.Replace(appIndexes, `"followerId", "indexes": [`, `"followerId", "indexes": [{ "order": "ASCENDING", "queryScope": "COLLECTION_GROUP" }, `, 1)
	o.RulesFile, o.OwnRules = "app.rules", []byte(merged(t))
	s.replaced(t, o, "rules that are not ours")
	if !strings.Contains(s.rules[live], "match /orders/{order}") || !strings.Contains(s.rules[live], "match /_relations/") {
		t.Errorf("the rules are %s", s.rules[live])
	}
	if want := "the field override of the app stays: comments.text"; !slices.ContainsFunc(s.said, func(said string) bool { return strings.HasPrefix(said, want) }) {
		t.Errorf("it said %q", s.said)
	}
	deployed, err := os.ReadFile(filepath.Join(s.machine.Work, "firestore.indexes.json"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(deployed); strings.Contains(text, `"followerId"`) || strings.Contains(text, `"text"`) || !strings.Contains(text, `"movesTo"`) {
		t.Errorf("it deploys %s", text)
	}

	// The command lists the changes that the app's next firebase deploy undoes, as firebase-tools does.
	dir := t.TempDir()
	for name, text := range map[string]string{"firebase.json": `{"firestore": {"rules": "app.rules", "indexes": "app.indexes.json"}, "functions": {"source": "functions"}}`, "app.rules": appRules, "app.indexes.json": appIndexes} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	here, err := coexist.Merge(app, ours) // what the database has now
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]any{"charge": map[string]string{"deployment-tool": "cli-firebase"}, "old": map[string]string{"deployment-tool": "cli-firebase"}}
	for _, name := range s.names() {
		if name, ok := strings.CutPrefix(name, "cloudfunctions relationindex-"); ok {
			labels := s.resource(t, "cloudfunctions", "relationindex-"+name)["labels"]
			functions["relationindex-"+name] = labels
		}
	}
	if len(functions) < 8 {
		t.Fatalf("functions are %v", functions)
	}
	check := func(file string) ([]coexist.Finding, next) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "app.indexes.json"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := coexist.ReadApp(dir, "(default)")
		if err != nil {
			t.Fatal(err)
		}
		return a.Findings(string(module.FirestoreRules), ours), firebaseDeploys(t, string(here), file, functions)
	}
	findings, does := check(appIndexes)
	text := coexist.Text(findings)
	for _, want := range []string{"UNDOES  it replaces all rules of the database by app.rules, without asking", "/_relations/{}", "UNDOES  it asks whether to delete these of ours", "_relations (followers CONTAINS, createdAt DESCENDING)", "UNDOES  it replaces these overrides", "it leaves functions of ours alone"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	missing := slices.IndexFunc(findings, func(f coexist.Finding) bool { return strings.HasPrefix(f.Says, "it asks") })
	if n := does.DeletedIndexes + len(does.DeletedOverrides); missing < 0 || n != len(findings[missing].Lists) || n < 50 {
		t.Errorf("firebase-tools deletes %d with --force, and said are %v", n, findings)
	}
	if diff := cmp.Diff([]string{"requests.followerId"}, does.Replaced); diff != "" {
		t.Errorf("firebase-tools replaces (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"old"}, does.Functions); diff != "" {
		t.Errorf("firebase-tools deletes functions (-want +got):\n%s", diff)
	}

	// With the files of both, it undoes nothing.
	if err := os.WriteFile(filepath.Join(dir, "app.rules"), o.OwnRules, 0o600); err != nil {
		t.Fatal(err)
	}
	findings, does = check(string(here))
	if slices.ContainsFunc(findings, func(f coexist.Finding) bool { return f.Undoes }) || does.DeletedIndexes+len(does.DeletedOverrides)+len(does.Replaced) > 0 {
		t.Errorf("with the merged files firebase-tools does %+v, and it says %s", does, coexist.Text(findings))
	}

	// It uninstalls: what is the app's own is as before.
	if err := s.machine.Undeploy(t.Context(), removal(t, o, false)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, s.names()); diff != "" {
		t.Errorf("after it was removed (-before +after):\n%s", diff)
	}
}

// next is what a firebase deploy does.
type next struct {
	DeletedIndexes, Created               int
	DeletedOverrides, Replaced, Functions []string
}

// firebaseDeploys lets firebase-tools deploy a file of indexes over those of a database, with
// --force, and plan a deployment of the function charge.
func firebaseDeploys(t *testing.T, database, file string, functions map[string]any) next {
	t.Helper()
	plain := func(text string) json.RawMessage {
		x, err := coexist.ParseIndexes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		out, err := coexist.Merge(x, &coexist.Indexes{})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out := firebaseTools(t, "next.cjs", map[string]any{"database": plain(database), "file": plain(file), "force": true, "functions": functions, "source": []string{"charge"}})
	var does next
	if err := json.Unmarshal(out, &does); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return does
}

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A survey stops at what the functions would overwrite, and tells of the rest.
func TestSurvey(t *testing.T) {
	t.Parallel()
	const project = "demo-survey"
	c := client(t, project)
	write := func(path string, fields map[string]any) {
		t.Helper()
		if _, err := c.Doc(path).Set(t.Context(), fields); err != nil {
			t.Fatal(err)
		}
	}
	write("users/ada", map[string]any{"name": "Ada"})
	write("users/ada/followers/bob", map[string]any{"createdAt": time.Now()})
	write("posts/p", map[string]any{"userId": "ada"})
	relationindex(t, "survey", "--project", project).Want(t, exitOK,
		"users/*/followers: 1 documents, of 1 read 0 strange\n",
		"posts: 1 documents, of 1 read 1 strange, as posts/p: without userId", "relationindex fill-posts", "survey: 0 collections to solve first, in ")
	write("users/bob/following/ada", map[string]any{"since": 2020})
	relationindex(t, "survey", "--project", project).Want(t, exitFailed,
		"users/*/following: 1 documents, of 1 read 1 strange, as users/bob/following/ada: functions overwrite", "RELATIONINDEX_USERS=graph", "survey: 1 collections to solve first, in ")
	relationindex(t, "survey", "--project", project, "--json").Want(t, exitFailed, `{"collection":"users/*/following","documents":1,"sampled":1,"strange":1,"example":"users/bob/following/ada"`, `"stops":1}`)
	relationindex(t, "survey", "--sample", "1001").Want(t, exitUsage, "--sample 1001: must be 1 to 1000")
}

// The exit code says whether the app's own deployment would undo something.
func TestDeployCheck(t *testing.T) {
	t.Parallel()
	app := t.TempDir()
	file := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(app, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	relationindex(t, "deploy-check").Want(t, exitUsage, "app")
	relationindex(t, "deploy-check", "--app", filepath.Join(app, "none")).Want(t, exitUsage, "--app ", "no such file or directory")
	file("firebase.json", `{"firestore": {"rules": "firestore.rules", "indexes": "firestore.indexes.json"}} // as firebase init writes it`)
	file("firestore.rules", "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents { match /notes/{n} { allow read; } } }\n")
	file("firestore.indexes.json", `{"indexes": [], "fieldOverrides": []}`)
	relationindex(t, "deploy-check", "--app", app).Want(t, exitFailed, "UNDOES  it replaces all rules", "/_relations/{}", "UNDOES  it asks whether to delete")
	relationindex(t, "deploy-check", "--app", app, "--rules", "mine").Want(t, exitUsage, "--rules=mine: must be standard or feed-only")

	merged := filepath.Join(app, "merged.json")
	relationindex(t, "deploy-check", "--app", app, "--write-merged", merged).Want(t, exitFailed, "written: "+merged)
	relationindex(t, "deploy-check", "--app", app, "--write-merged", merged).Want(t, exitUsage, "it is there: name a new file")
	if err := os.Rename(merged, filepath.Join(app, "firestore.indexes.json")); err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile(filepath.Join("..", "..", "firestore.rules"))
	if err != nil {
		t.Fatal(err)
	}
	file("firestore.rules", string(rules))
	relationindex(t, "deploy-check", "--app", app).Want(t, exitOK)
}

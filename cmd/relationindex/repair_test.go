package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/internal/testkit/program"
)

// A database without functions, with follows and posts that nothing was
// derived from: verify and repair of all, of one author, and as JSON.
func TestRepair(t *testing.T) {
	t.Parallel()
	const project = "demo-repair"
	c := client(t, project)
	const followers = 30
	batch := c.BulkWriter(t.Context())
	set := func(path string, data map[string]any) {
		if _, err := batch.Set(c.Doc(path), data); err != nil {
			t.Fatal(err)
		}
	}
	for n := range followers {
		set(fmt.Sprintf("users/a/followers/f%d", n), map[string]any{"createdAt": firestore.ServerTimestamp})
	}
	set("users/z/followers/f1", map[string]any{"createdAt": firestore.ServerTimestamp})
	set("posts/p1", map[string]any{"userId": "a", "createdAt": firestore.ServerTimestamp})
	set("_relations/stray", map[string]any{"userId": "a"})
	batch.End()

	out := relationindex(t, "verify", "--project", project, "--author", "z")
	out.Want(t, exitFailed, "users/z/followers/f1: follower is in no index document (invariant 1)\n", "verify: 2 violations\n")
	out = relationindex(t, "verify", "--project", project, "--author", "z", "--json")
	out.Want(t, exitFailed, `"author":"z","follower":"f1"}`)

	out = relationindex(t, "repair", "--project", project, "--dry-run")
	out.Want(t, exitFailed, "… and 43 more\nbefore: 63 violations in 63 documents\nwould repair: 63 violations, of 2 authors\n")
	if lines := strings.Count(out.Stdout, "\n"); lines != mostShown+3 {
		t.Errorf("it printed %d lines, want %d: %s", lines, mostShown+3, out.Stdout)
	}
	out = relationindex(t, "repair", "--project", project, "--dry-run", "--json")
	out.Want(t, exitFailed, `{"before":{`, `"violations":63}}`)

	out = relationindex(t, "repair", "--project", project, "--author", "z")
	out.Want(t, exitOK, "users/z/followers/f1: ", "before: 2 violations in 2 documents\nafter: 0 violations\n")
	if said(out) != "" {
		t.Errorf("it says %q on standard error", said(out))
	}

	if _, err := c.Doc("_functions/job").Set(t.Context(), map[string]any{"state": "running", "kind": "x"}); err != nil {
		t.Fatal(err)
	}
	out = relationindex(t, "repair", "--project", project)
	out.Want(t, exitFailed, "before: 62 violations in 62 documents\nafter: 1 violations\nleft: _functions/job: job is running (invariant 4)\n",
		"1 jobs are not finished", "relationindex jobs list")
	if _, err := c.Doc("_functions/job").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}

	relationindex(t, "verify", "--project", project).Want(t, exitOK, "verify: 0 violations\n")
	relationindex(t, "feed", "--project", project, "--as", "f29").Want(t, exitOK, "p1")
	out = relationindex(t, "repair", "--project", project)
	if out.Want(t, exitOK); out.Stdout != "before: 0 violations in 0 documents\nafter: 0 violations\n" {
		t.Errorf("of nothing it printed %q", out.Stdout)
	}
	out = relationindex(t, "repair", "--project", project, "--json")
	var repaired repair.Repaired
	if err := json.Unmarshal([]byte(out.Stdout), &repaired); err != nil || strings.Count(out.Stdout, "\n") != 1 || repaired.After.Followers != followers+1 {
		t.Errorf("it printed %q: %v", out.Stdout, err)
	}
}

// Where a lowered capacity made several index documents, --merge makes them one again.
func TestRepairThatMerges(t *testing.T) {
	t.Parallel()
	const project = "demo-repair-merge"
	c := client(t, project)
	for n := range 5 {
		if _, err := c.Doc(fmt.Sprintf("users/a/followers/f%d", n)).Set(t.Context(), map[string]any{"createdAt": firestore.ServerTimestamp}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(documents int) {
		t.Helper()
		found, err := c.Collection("users/a/followers_index").Documents(t.Context()).GetAll()
		if err != nil || len(found) != documents {
			t.Errorf("%d index documents, want %d: %v", len(found), documents, err)
		}
	}
	few := []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost, "RELATIONINDEX_CAPACITY=2"}
	program.Run(t, few, "repair", "--project", project).Want(t, exitOK, "after: 0 violations\n")
	want(3)
	relationindex(t, "repair", "--project", project).Want(t, exitOK, "before: 0 violations")
	want(3)
	relationindex(t, "repair", "--project", project, "--merge").Want(t, exitOK, "before: 0 violations in 0 documents\nafter: 0 violations\n")
	want(1)
	relationindex(t, "verify", "--project", project).Want(t, exitOK, "checked 5 follows", "verify: 0 violations\n")
	relationindex(t, "repair", "--project", project, "--merge", "--dry-run").Want(t, exitUsage, "merge", "dry-run")
}

func TestRepairThatCannotBegin(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"verify", "repair"} {
		relationindex(t, command, "--author", "").Want(t, exitUsage, "--author", "strange id: it is empty")
		relationindex(t, command, "--author", "a/b").Want(t, exitUsage, "slash")
		relationindex(t, command, "--author", strings.Repeat("a", 1500)).Want(t, exitUsage, "an account's may have 1499")
	}
	relationindex(t, "repair", "extra").Want(t, exitUsage, "extra")
	program.Run(t, nil, "repair").Want(t, exitUsage, "--project")
}

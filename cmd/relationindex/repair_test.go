package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/program"
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
	out.Want(t, exitFailed, "31 × follower is in no index document (invariant 1)\n  users/", "31 × edge is missing (invariant 1)\n  users/", "\n_relations/stray: ",
		"before: 64 violations in 64 documents\nwould repair: 64 violations, of 2 authors\n")
	if lines := strings.Count(out.Stdout, "\n"); lines != 2*4+2+2 {
		t.Errorf("it printed %d lines: %s", lines, out.Stdout)
	}
	out = relationindex(t, "repair", "--project", project, "--dry-run", "--json")
	out.Want(t, exitFailed, `{"before":{`, `"violations":64}}`)

	out = relationindex(t, "repair", "--project", project, "--author", "z")
	out.Want(t, exitOK, "users/z/followers/f1: ", "before: 2 violations in 2 documents\nverify counts more: ", "not counted\nafter: 0 violations\n")
	if said(out) != "" {
		t.Errorf("it says %q on standard error", said(out))
	}

	if _, err := c.Doc("_functions/job").Set(t.Context(), map[string]any{"state": "running", "kind": "x"}); err != nil {
		t.Fatal(err)
	}
	out = relationindex(t, "repair", "--project", project)
	out.Want(t, exitFailed, "30 × edge is missing (invariant 1)\n  users/", "before: 63 violations in 63 documents\nverify counts more: ", "\nafter: 1 violations\nleft: _functions/job: job is running (invariant 4)\n",
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

// With relations off too, an index document that no job can mend is mended by the command that its job names.
func TestRepairOfDamageWithoutRelations(t *testing.T) {
	t.Parallel()
	const project = "demo-repair-damaged"
	c := client(t, project)
	env := []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost, "RELATIONINDEX_FEEDS=items"}
	repair := func(args ...string) program.Outcome {
		return program.Run(t, env, append([]string{"repair", "--project", project}, args...)...)
	}
	repair("--damaged").Want(t, exitOK, "no failed job names damage: nothing was checked\n")
	write(t, c, map[string]map[string]any{
		"users/a":                       {"followers_index": []string{"00001"}, "latestFollowersIndex": "00001"},
		"users/a/followers/f":           {"createdAt": firestore.ServerTimestamp},
		"users/f/following/a":           {"createdAt": firestore.ServerTimestamp, "indexId": "00001"},
		"users/a/followers_index/00001": {"followers": "x"},
		"posts/p":                       {"userId": "a", "audience": "a", "hidden": false, "createdAt": firestore.ServerTimestamp},
		"_functions/index:a:00001": {
			"kind": "relations.index", "state": "failed", "schema": 1, "generation": "damaged 1", "owner": schema.OwnerOf("a"), "args": map[string]string{"author": "a", "index": "00001"},
		},
	})
	out := repair("--damaged")
	out.Want(t, exitOK, "failed jobs named 1 authors\n", "after: 0 violations\n", "timelines of these authors' followers may lack posts: run 'relationindex repair-timelines --project "+project+"'\n")
	if n := count(t, c, "_relations"); n != 0 {
		t.Errorf("%d relations, which are off", n)
	}
	if n := count(t, c, "_functions"); n != 0 {
		t.Errorf("%d jobs are left", n)
	}
	repair("--author", "a").Want(t, exitOK, "before: 0 violations")
	repair().Want(t, exitOK, "before: 0 violations", "repair-timelines: ")
	repair("--merge").Want(t, exitUsage, "RELATIONINDEX_FEEDS has no relations")
}

// A mark that a purge has left is for repair to delete.
func TestRepairDeletesPurgeMarks(t *testing.T) {
	t.Parallel()
	const project = "demo-repair-marks"
	c := client(t, project)
	write(t, c, map[string]map[string]any{"_purging/eve": {}})
	repair := func(args ...string) program.Outcome {
		return relationindex(t, append([]string{"repair", "--project", project}, args...)...)
	}
	out := repair("--dry-run")
	out.Want(t, exitFailed, "would repair: 0 violations, of 0 authors\n1 marks of purges: repair deletes those whose purge is not under way\n")
	if strings.Contains(out.Stdout, "not for repair to end") {
		t.Errorf("it says %s", out.Stdout)
	}
	repair().Want(t, exitOK, "deleted 1 mark of purges that had ended; verify counts these\nafter: 0 violations\n")
	repair().Want(t, exitFailed, "after: 0 violations\n", "repair: found nothing to check: no follows, no posts")
}

// Where most posts have no author, or there is nothing, repair fails as verify does, and so does fill-posts.
func TestRepairAndFillPostsFailWithoutUsablePosts(t *testing.T) {
	t.Parallel()
	const project = "demo-repair-little"
	const nothing, little = "repair: found nothing to check", "repair: 2 of 3 posts have no author in the field userId, so no follower gets these posts. To see the fields of posts, run 'relationindex survey'"
	c := client(t, project)
	for _, args := range [][]string{nil, {"--dry-run"}, {"--json"}, {"--author", "a"}} {
		relationindex(t, append([]string{"repair", "--project", project}, args...)...).Want(t, exitFailed, nothing+": no follows, no posts, and no documents derived from them")
	}
	relationindex(t, "repair", "--damaged", "--project", project).Want(t, exitOK, "nothing was checked")
	off := []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost, "RELATIONINDEX_FEEDS=items"}
	program.Run(t, off, "repair", "--project", project).Want(t, exitFailed, "repair-timelines: mended 0", nothing+": no follows, and no documents")
	relationindex(t, "fill-posts", "--project", project).Want(t, exitFailed, "read 0 posts", "fill-posts: there are no posts: check --project")
	write(t, c, map[string]map[string]any{
		"posts/p1": {"userId": "a", "audience": "a", "hidden": false, "createdAt": firestore.ServerTimestamp}, "posts/p2": {"authorId": "a"}, "posts/p3": {"authorId": "a"},
	})
	for n, args := range [][]string{{"--dry-run"}, nil, {"--dry-run"}} { // the first two find that the author's own feed lacks the post
		relationindex(t, append([]string{"repair", "--project", project}, args...)...).Want(t, exitFailed, "2 × skipped: userId is not a string\n", "skipped 2 documents\n", "before: "+[]string{"1", "1", "0"}[n]+" violations", little)
	}
	for _, args := range [][]string{nil, {"--dry-run"}, {"--json"}} {
		relationindex(t, append([]string{"fill-posts", "--project", project}, args...)...).Want(t, exitFailed, "fill-posts: 2 of 3 posts have no author in the field userId")
	}
	write(t, c, map[string]map[string]any{"posts/p4": {"userId": "a", "audience": "a", "hidden": false, "createdAt": firestore.ServerTimestamp}})
	relationindex(t, "repair", "--project", project).Want(t, exitOK, "skipped 2 documents")
	relationindex(t, "fill-posts", "--project", project).Want(t, exitOK, "2 have no author")
}

func TestFlagsThatExcludeEachOther(t *testing.T) {
	for flags, args := range map[string][]string{
		"--prefix and --state":   {"jobs", "list", "--prefix", "p", "--state", "done"},
		"--author and --damaged": {"repair", "--damaged", "--author", "a"},
	} {
		call(t, args...).Want(t, exitUsage, "relationindex: "+flags+" exclude each other\n")
	}
}

func TestRepairRejectsInvalidArguments(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"verify", "repair"} {
		relationindex(t, command, "--author", "").Want(t, exitUsage, "--author", "strange id: it is empty")
		relationindex(t, command, "--author", "a/b").Want(t, exitUsage, "slash")
		relationindex(t, command, "--author", strings.Repeat("a", 1500)).Want(t, exitUsage, "an account's may have 1499")
	}
	relationindex(t, "repair", "extra").Want(t, exitUsage, "extra")
	program.Run(t, nil, "repair").Want(t, exitUsage, "--project")
}

func count(t *testing.T, c *firestore.Client, collection string) int {
	t.Helper()
	found, err := c.Collection(collection).Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

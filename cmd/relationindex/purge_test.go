package main

import (
	"strings"
	"testing"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/program"
)

func TestPurge(t *testing.T) {
	t.Parallel()
	const project = "demo-purge"
	c := client(t, project)
	for path, data := range map[string]map[string]any{
		"users/ada/followers/bob": {}, "users/bob/following/ada": {"indexId": "00001"}, "posts/p1": {"userId": "ada"},
		"users/eve": {"displayName": "Eve"},
	} {
		if _, err := c.Doc(path).Set(t.Context(), data); err != nil {
			t.Fatal(err)
		}
	}
	relationindex(t, "purge", "ada", "--project", project).Want(t, exitOK, "followers       1\n", "posts           1\n", "without --yes")
	jobs := func() int {
		t.Helper()
		docs, err := c.Collection("_functions").Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		return len(docs)
	}
	if n := jobs(); n != 0 {
		t.Errorf("%d jobs without --yes", n)
	}
	if out := relationindex(t, "purge", "eve", "--project", project, "--yes"); out.Code != exitFailed {
		t.Errorf("an account with a profile: exit code %d, want %d", out.Code, exitFailed)
	}
	relationindex(t, "purge", "a/b", "--project", project).Want(t, exitUsage, "contains a slash")
	relationindex(t, "purge", "ada", "--project", project, "--yes").Want(t, exitOK, "a job removes them", "jobs wait purge:",
		"For an hour, a client that still has the account's ID token can write", "run 'relationindex trace ada --project demo-purge', and purge again", `docs/operations.md, "What a deletion leaves"`)
	relationindex(t, "purge", "ada", "--project", project, "--yes").Want(t, exitOK, "a purge of this account is under way already", "jobs wait purge:")
	if n := jobs(); n != 1 {
		t.Errorf("%d jobs, want that of the purge", n)
	}
	queued, err := c.Collection("_functions").Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	relationindex(t, "jobs", "cancel", queued[0].Ref.ID, "--project", project).Want(t, exitOK, "What the purge has deleted is gone, and the rest of the account stays. Clients may create the account again now.", "jobs retry purge:")
	relationindex(t, "purge", "ada", "--project", project, "--yes").Want(t, exitOK, "a job removes them")
}

// A purge leaves a tombstone, after which a group of the id can never be used: of a mistyped id there is none. Whatever
// names the account, also an earlier purge, lets it be purged.
func TestPurgeRejectsUnknownID(t *testing.T) {
	t.Parallel()
	const project = "demo-purge-nothing"
	c := client(t, project)
	purge := func(id string, more ...string) program.Outcome {
		return relationindex(t, append([]string{"purge", id, "--project", project}, more...)...)
	}
	for _, args := range [][]string{{"neverwas"}, {"neverwas", "--yes"}, {"g_neverwas", "--yes"}} {
		purge(args[0], args[1:]...).Want(t, exitFailed, "posts           0\n", "account \""+args[0]+"\": the purge found no data and wrote nothing: check the account id", "--tombstone")
	}
	for _, collection := range []string{"_tombstones", "_purging", "_functions"} {
		if n := count(t, c, collection); n != 0 {
			t.Errorf("%d documents in %s", n, collection)
		}
	}
	purge("neverwas", "--yes", "--tombstone").Want(t, exitOK, "a job removes them")
	id := func(u string) string { // of its tombstone
		t.Helper()
		db, err := schema.Open(c, schema.Config{NoOwnPosts: true})
		if err != nil {
			t.Fatal(err)
		}
		return db.TombstoneID(u)
	}
	write(t, c, map[string]map[string]any{
		"users/ghost":                 {"followers_index": []string{}},
		"_purging/marked":             {},
		"_tombstones/" + id("purged"): {},
		"_functions/" + schema.PurgeJobID(id("failed")): {"kind": "purge", "state": "failed", "schema": 1, "args": map[string]string{"author": "failed"}},
		"_functions/profile:renamed":                    {"kind": "profile", "state": "failed", "schema": 1},
		"posts/p":                                       {"userId": "somebody", "audience": "g_team"},
	})
	for _, named := range []string{"ghost", "marked", "purged", "failed", "renamed", "g_team"} {
		if out := purge(named, "--yes"); out.Code != exitOK || !strings.Contains(out.Stdout, "a job removes them") {
			t.Errorf("%s: %+v", named, out)
		} else if token := strings.Contains(out.Stdout, "ID token"); token == (named == "g_team") {
			t.Errorf("%s: it speaks of tokens: %t", named, token)
		}
	}
	keeps := []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost, "RELATIONINDEX_KEEP_POSTS=true"}
	program.Run(t, keeps, "purge", "somebody", "--project", project, "--yes").Want(t, exitOK, "a job removes them")
}

// A command that looks for tombstones by another key than they were made by would not find them.
func TestCommandsRejectAnotherTombstoneKey(t *testing.T) {
	t.Parallel()
	const project = "demo-other-keys"
	key := client(t, project).Doc("_tombstones/key")
	if _, err := key.Set(t.Context(), map[string]any{"hash": "of another"}); err != nil {
		t.Fatal(err)
	}
	follows := program.File(t, "follows", "1 2\n")
	if _, err := client(t, project).Doc("posts/p").Set(t.Context(), map[string]any{"userId": "ada", "hidden": true, "createdAt": time.Now()}); err != nil {
		t.Fatal(err)
	}
	relationindex(t, "purge", "ada", "--project", project).Want(t, exitOK, "without --yes") // it only counts
	commands := [][]string{{"repair"}, {"fill-posts"}, {"horizon", "0"}, {"import", "follows", follows, "--columns", "follower=1,followed=2", "--direct"}, {"purge", "ada", "--yes"}}
	for _, command := range commands {
		relationindex(t, append(command, "--project", project)...).Want(t, exitFailed, "RELATIONINDEX_TOMBSTONE_KEY is not the key", "docs/operations.md")
	}
	relationindex(t, "verify", "--project", project).Want(t, exitOK, "0 violations") // and not the key
	if _, err := key.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, command := range commands {
		relationindex(t, append(command, "--project", project)...).Want(t, exitOK)
	}
}

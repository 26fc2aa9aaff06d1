package main

import (
	"testing"

	"example.com/relationindex/internal/testkit/program"
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
	relationindex(t, "purge", "ada", "--project", project, "--yes").Want(t, exitOK, "a job removes them", "jobs wait purge:")
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

// A command that looks for tombstones by another key than they were made by would not find them.
func TestCommandsWithAnotherKeyOfTombstones(t *testing.T) {
	t.Parallel()
	const project = "demo-other-keys"
	key := client(t, project).Doc("_tombstones/key")
	if _, err := key.Set(t.Context(), map[string]any{"hash": "of another"}); err != nil {
		t.Fatal(err)
	}
	follows := program.File(t, "follows", "1 2\n")
	relationindex(t, "purge", "ada", "--project", project).Want(t, exitOK, "without --yes") // it only counts
	commands := [][]string{{"repair"}, {"fill-posts"}, {"horizon", "0"}, {"import", "follows", follows, "--columns", "follower=1,followed=2", "--direct"}, {"purge", "ada", "--yes"}}
	for _, command := range commands {
		relationindex(t, append(command, "--project", project)...).Want(t, exitFailed, "RELATIONINDEX_TOMBSTONE_KEY is not the key", "docs/operations.md")
	}
	relationindex(t, "verify", "--project", project).Want(t, exitFailed, "0 violations", "there was nothing to check") // and not the key
	if _, err := key.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, command := range commands {
		relationindex(t, append(command, "--project", project)...).Want(t, exitOK)
	}
}

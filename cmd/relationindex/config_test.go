package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	deployed "example.com/relationindex"
	"example.com/relationindex/examples/presets"
	"example.com/relationindex/testkit/program"
)

// Environments that are wrong, and what config check says of them.
func TestConfigCheckOnWrongEnvironments(t *testing.T) {
	second := program.File(t, "second.indexes.json", strings.Replace(string(deployed.FirestoreIndexes), `"indexes": [`,
		`"indexes": [ { "collectionGroup": "_relations", "queryScope": "COLLECTION", "fields": [ { "fieldPath": "followers", "arrayConfig": "CONTAINS" }, { "fieldPath": "userId", "order": "ASCENDING" } ] },`, 1))
	const project = "GOOGLE_CLOUD_PROJECT=demo-a"
	var said strings.Builder
	for _, wrong := range []struct {
		env   []string
		flags []string
	}{
		{[]string{"RELATIONINDEX_CAPACITY=20000", "RELATIONINDEX_IDLE=60", "RELATIONINDEX_COPIED_FIELD=text", "RELATIONINDEX_DATABASE=Blue", "FIRESTORE_EMULATOR_HOST=localhost"}, nil}, // and no project
		{[]string{project, "RELATIONINDEX_POSTS=notes", "RELATIONINDEX_FOLLOWERS=fans"}, nil},
		{[]string{project}, []string{"--indexes", second}},
	} {
		args := append([]string{"config", "check"}, wrong.flags...)
		said.WriteString("$ ")
		for _, e := range wrong.env {
			said.WriteString(e + " ")
		}
		said.WriteString("relationindex config check")
		for _, flag := range wrong.flags {
			said.WriteString(" " + strings.Replace(flag, second, "two-indexes-on-followers.json", 1))
		}
		out := program.Run(t, wrong.env, args...)
		if out.Want(t, exitFailed); out.Stderr != "" {
			t.Errorf("%q: %s", args, out.Stderr)
		}
		fmt.Fprintf(&said, "\n%s\n", out.Stdout)
	}
	program.Golden(t, "testdata/config-check.txt", said.String())
}

func TestConfigCheckOnGoodEnvironments(t *testing.T) {
	const project = "GOOGLE_CLOUD_PROJECT=demo-a"
	out := program.Run(t, []string{project}, "config", "check")
	if out.Want(t, exitOK); out.Stdout != "OK\nGOOGLE_CLOUD_PROJECT=demo-a\na full relation: 20,005 of 40,000 index entries, 2.7 of 8 MiB of them; its copied fields may have 10,000 entries and 128 KiB\n" {
		t.Errorf("it prints %q", out.Stdout)
	}
	out = program.Run(t, []string{project, "RELATIONINDEX_CAPACITY=500", "RELATIONINDEX_COPIED_FIELDS=text, likes", "RELATIONINDEX_DATABASE=blue"}, "config", "check")
	out.Want(t, exitOK, "OK\n", "RELATIONINDEX_CAPACITY=500    (default 10,000)\n", "RELATIONINDEX_COPIED_FIELDS=text,likes\n", "RELATIONINDEX_DATABASE=blue\n",
		"a full relation: 1,009 of 40,000 index entries, 0.1 of 8 MiB of them; ")
}

// docs/fields.md has what it prints for the fields of its example.
func TestConfigCheckOnThePageOfFields(t *testing.T) {
	page, err := os.ReadFile("../../docs/fields.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "$ RELATIONINDEX_COPIED_FIELDS=title,photo GOOGLE_CLOUD_PROJECT=demo-a relationindex config check\n")
	want, _, found := strings.Cut(after, "```")
	out := program.Run(t, []string{"RELATIONINDEX_COPIED_FIELDS=title,photo", "GOOGLE_CLOUD_PROJECT=demo-a"}, "config", "check")
	if out.Want(t, exitOK); !found || out.Stdout != want {
		t.Errorf("it prints\n%s\nand the page has\n%s", out.Stdout, want)
	}
}

func TestConfigCheckReportsInvalidFiles(t *testing.T) {
	renamed := []string{"GOOGLE_CLOUD_PROJECT=demo-a", "RELATIONINDEX_FOLLOWERS=fans"}
	rules := program.File(t, "firestore.rules", strings.ReplaceAll(string(deployed.FirestoreRules), "/followers/", "/fans/"))
	program.Run(t, renamed, "config", "check").Want(t, exitFailed, `RELATIONINDEX_FOLLOWERS="fans": firestore.rules has no match /fans/{`)
	program.Run(t, renamed, "config", "check", "--rules", rules).Want(t, exitOK)
	call(t, "config", "check", "--indexes", "no-such-file").Want(t, exitUsage, "no-such-file")
	call(t, "config").Want(t, exitUsage, "config: the command is incomplete; use 'config check'")
	good := program.File(t, "good.env", "# of all\nRELATIONINDEX_CAPACITY=500\n")
	program.Run(t, []string{"GOOGLE_CLOUD_PROJECT=demo-a", "RELATIONINDEX_ENV=" + good}, "config", "check").Want(t, exitOK, "RELATIONINDEX_CAPACITY=500    (default 10,000)\n")
	bad := program.File(t, "bad.env", "RELATIONINDEX_CAPASITY=500\nRELATIONINDEX_TOMBSTONE_KEY=a-key-of-16-letters\n")
	program.Run(t, []string{"GOOGLE_CLOUD_PROJECT=demo-a", "RELATIONINDEX_ENV=" + bad}, "config", "check").Want(t, exitFailed,
		`bad.env:1: "RELATIONINDEX_CAPASITY": no such variable (do you mean RELATIONINDEX_CAPACITY?)`, `bad.env:2: "RELATIONINDEX_TOMBSTONE_KEY": is a secret`)
}

// Each preset is a file that an app may deploy with, and that dev takes by its name.
func TestPresets(t *testing.T) {
	t.Parallel()
	for _, name := range presets.Names {
		program.Run(t, []string{"GOOGLE_CLOUD_PROJECT=demo-a", "RELATIONINDEX_ENV=../../examples/presets/" + name + ".env"}, "config", "check").Want(t, exitOK, "OK\n")
	}
	program.Run(t, nil, "dev", "--preset", "large").Want(t, exitUsage, `--preset: preset "large": must be one of small, popular, inbox`)
	program.Run(t, []string{"RELATIONINDEX_FEEDS=relations"}, "dev", "--preset", "inbox").Want(t, exitFailed, "RELATIONINDEX_CAP=500: requires items or buckets in RELATIONINDEX_FEEDS")
}

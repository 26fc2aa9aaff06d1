package main

import (
	"fmt"
	"strings"
	"testing"

	deployed "example.com/relationindex"
)

// Environments that are wrong, and what config check says of them.
func TestConfigCheckOnWrongEnvironments(t *testing.T) {
	second := writeFile(t, "second.indexes.json", strings.Replace(string(deployed.FirestoreIndexes), `"indexes": [`,
		`"indexes": [ { "collectionGroup": "_relations", "queryScope": "COLLECTION", "fields": [ { "fieldPath": "followers", "arrayConfig": "CONTAINS" }, { "fieldPath": "userId", "order": "ASCENDING" } ] },`, 1))
	const project = "GOOGLE_CLOUD_PROJECT=demo-a"
	var said strings.Builder
	for _, wrong := range []struct {
		env   []string
		flags []string
	}{
		{[]string{"RELATIONINDEX_CAPACITY=20000", "RELATIONINDEX_LEASE=60", "RELATIONINDEX_COPIED_FIELD=text", "RELATIONINDEX_DATABASE=Blue", "K_SERVICE=feed", "FIRESTORE_EMULATOR_HOST=localhost"}, nil}, // and no project
		{[]string{project, "RELATIONINDEX_POSTS=notes", "RELATIONINDEX_FOLLOWERS=fans"}, nil},
		{[]string{project}, []string{"--indexes", second}},
	} {
		args := append([]string{"config", "check"}, wrong.flags...)
		said.WriteString("$ relationindex config check")
		for _, flag := range wrong.flags {
			said.WriteString(" " + strings.Replace(flag, second, "two-indexes-on-followers.json", 1))
		}
		for _, e := range wrong.env {
			args = append(args, "--env", e)
			said.WriteString(" --env " + quoted(e))
		}
		out := call(t, args...)
		if out.want(t, exitFailed); out.stderr != "" {
			t.Errorf("%q: %s", args, out.stderr)
		}
		fmt.Fprintf(&said, "\n%s\n", out.stdout)
	}
	wantGolden(t, "testdata/config-check.txt", said.String())
}

func TestConfigCheckOnGoodEnvironments(t *testing.T) {
	out := call(t, "config", "check", "--env", "GOOGLE_CLOUD_PROJECT=demo-a")
	if out.want(t, exitOK); out.stdout != "OK\nGOOGLE_CLOUD_PROJECT=demo-a\n" {
		t.Errorf("it prints %q", out.stdout)
	}
	file := writeFile(t, "production.env", "# ours\nexport GOOGLE_CLOUD_PROJECT='demo-a'\n\nRELATIONINDEX_CAPACITY = 500\nRELATIONINDEX_COPIED_FIELDS=\"text, likes\"\n")
	out = call(t, "config", "check", "--env", file, "--env", "RELATIONINDEX_DATABASE=blue")
	out.want(t, exitOK, "OK\n", "RELATIONINDEX_CAPACITY=500    (default 10,000)\n", "RELATIONINDEX_COPIED_FIELDS=text,likes\n", "RELATIONINDEX_DATABASE=blue\n")
}

func TestConfigOfFilesThatAreWrong(t *testing.T) {
	renamed := []string{"config", "check", "--env", "GOOGLE_CLOUD_PROJECT=demo-a", "--env", "RELATIONINDEX_FOLLOWERS=fans"}
	rules := writeFile(t, "firestore.rules", strings.Replace(string(deployed.FirestoreRules), "match /followers/", "match /fans/", 1))
	call(t, renamed...).want(t, exitFailed, `RELATIONINDEX_FOLLOWERS="fans": firestore.rules has no match /fans/{`)
	call(t, append(renamed, "--rules", rules)...).want(t, exitOK)
	call(t, "config", "check", "--env", writeFile(t, "x.env", "A=b\nnonsense\n")).want(t, exitUsage, `line 2: "nonsense": must be NAME=value`)
	call(t, "config", "check", "--env", "no-such-file").want(t, exitUsage, "no-such-file")
	call(t, "config", "check", "--indexes", "no-such-file").want(t, exitUsage, "no-such-file")
	call(t, "config").want(t, exitUsage, "Want check")
}

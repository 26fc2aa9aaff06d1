package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	module "example.com/relationindex"
	"example.com/relationindex/testkit/program"
)

// somewhere are the flags of a deployment, from the module's directory.
var somewhere = []string{"--project", "p", "--location", "nam5", "--region", "us-central1", "--source", "../.."}

func callDeploy(t *testing.T, env []string, command string, more ...string) program.Outcome {
	t.Helper()
	return program.Run(t, env, append(append([]string{command}, somewhere...), more...)...)
}

func TestDeployUsageErrors(t *testing.T) {
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"--name", "Blue"}, `--name="Blue"`},
		{[]string{"--name", "a-name-of-twenty-chars"}, "3 to 19"},
		{[]string{"--notify", "mail"}, `--notify="mail"`},
		{[]string{"--name", "a"}, `--name="a"`},
		{[]string{"--name", "a-name-of-19-letters"[:19]}, "must have at most 62 characters together"},
		{[]string{"--project", "a b"}, `--project="a b"`},
		{[]string{"--rules", "feed-only", "--no-feed"}, "nobody could read a feed"},
		{[]string{"--rules", "keep", "--pace"}, "make hasPace return true in your own rules"},
		{[]string{"--rules", "keep", "--replace-rules", "0123456789ab"}, "--replace-rules and --rules=keep exclude each other"},
		{[]string{"--rules", "feedonly"}, "there is no such file: did you mean feed-only?"},
		{[]string{"--rules", "Standard"}, "did you mean standard?"},
		{[]string{"--sample", "10000001"}, "1 to 10,000,000"},
	} {
		callDeploy(t, []string{"RELATIONINDEX_DATABASE=" + strings.Repeat("d", 44)}, "deploy", append(tt.args, "--dry-run")...).Want(t, exitUsage, tt.says)
	}
	program.Run(t, nil, "deploy", "--dry-run", "--project", "p").Want(t, exitUsage, "location", "region")
	callDeploy(t, nil, "deploy", "--dry-run", "--rules", filepath.Join(t.TempDir(), "none")).Want(t, exitFailed, "--rules")
	own := filepath.Join(t.TempDir(), "own.rules")
	for _, text := range []string{"", "{}", "// service cloud.firestore\nservice firebase.storage { match /b/{bucket}/o {} }\n"} {
		if err := os.WriteFile(own, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		callDeploy(t, nil, "deploy", "--dry-run", "--rules", own).Want(t, exitUsage, "the file has no 'service cloud.firestore'")
	}
	if err := os.WriteFile(own, []byte("rules_version = '2';\nservice cloud.firestore {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	callDeploy(t, nil, "deploy", "--dry-run", "--pace", "--rules", own).Want(t, exitUsage, "--pace: the rules have no function hasPace")
	for kind, ours := range map[string][]byte{"standard": module.FirestoreRules, "feed-only": module.FirestoreFeedOnlyRules} {
		file := filepath.Join(t.TempDir(), "my.rules")
		if err := os.WriteFile(file, ours, 0o600); err != nil {
			t.Fatal(err)
		}
		callDeploy(t, nil, "deploy", "--dry-run", "--rules", file).Want(t, exitUsage, "use --rules "+kind)
	}
}

// A configuration that would not start is not printed as a plan either.
func TestDryRunOfAWrongConfiguration(t *testing.T) {
	for env, says := range map[string]string{
		"RELATIONINDEX_FEED_RATE=-1":       "RELATIONINDEX_FEED_RATE=-1",
		"RELATIONINDEX_POSTS=notes":        "no composite index (userId ASCENDING, createdAt DESCENDING) for notes",
		"RELATIONINDEX_FOLLOWERS=fans":     "firestore.rules has no match /fans/{",
		"FIRESTORE_EMULATOR_HOST=[::1]:80": "unset FIRESTORE_EMULATOR_HOST",
	} {
		out := callDeploy(t, []string{env}, "deploy", "--dry-run")
		if out.Want(t, exitFailed, says); out.Stdout != "" {
			t.Errorf("%s: it prints %s", env, out.Stdout)
		}
	}
	callDeploy(t, []string{"RELATIONINDEX_FEED_RATE=-1"}, "undeploy", "--yes").Want(t, exitFailed, "RELATIONINDEX_FEED_RATE=-1")
}

// The functions get this environment's variables, and its database.
func TestDryRun(t *testing.T) {
	out := callDeploy(t, []string{"RELATIONINDEX_DATABASE=blue", "RELATIONINDEX_COPIED_FIELDS=text,likes"}, "deploy", "--dry-run", "--name", "blue", "--no-feed")
	out.Want(t, exitOK, "--trigger-event-filters=database=blue", "^|^GOOGLE_CLOUD_PROJECT=p|RELATIONINDEX_DATABASE=blue|RELATIONINDEX_DEPLOYED=", "|RELATIONINDEX_COPIED_FIELDS=text,likes")
	if !strings.HasPrefix(out.Stdout, "# Deployment blue, project p, database blue\n#   functions  6 in us-central1: ") || strings.Contains(out.Stdout, "functions deploy blue-feed") {
		t.Errorf("it prints %s", out.Stdout)
	}
	callDeploy(t, nil, "deploy", "--files", t.TempDir()).Want(t, exitUsage, "--files", "requires --dry-run")
}

// With --files, the files that the printed commands read are there.
func TestDryRunWritesFiles(t *testing.T) {
	const readsFeed, hasPace = "request.auth.uid in resource.data.followers", "function hasPace() {\n      return true;"
	for _, more := range [][]string{nil, {"--rules", "feed-only"}, {"--pace"}, {"--pace", "--rules", "feed-only"}} {
		dir := t.TempDir()
		callDeploy(t, []string{"RELATIONINDEX_DATABASE=blue"}, "deploy", append(more, "--dry-run", "--files", dir)...).Want(t, exitOK, "WORK="+dir+"\n")
		rules, err := os.ReadFile(filepath.Join(dir, "firestore.rules"))
		if err != nil || !strings.HasPrefix(string(rules), "// deployed by relationindex as relationindex_blue: ") || !strings.Contains(string(rules), "match /users/") {
			t.Errorf("%v: the rules are %.200s, %v", more, rules, err)
		}
		if open := strings.Contains(string(rules), readsFeed); open == slices.Contains(more, "feed-only") {
			t.Errorf("%v: clients read relations: %t", more, open)
		}
		if paced := strings.Contains(string(rules), hasPace); paced != slices.Contains(more, "--pace") {
			t.Errorf("%v: acts have a pace: %t", more, paced)
		}
		if source, err := os.ReadFile(filepath.Join(dir, "source")); err != nil || len(strings.TrimSpace(string(source))) != 32 {
			t.Errorf("%v: the digest of what is uploaded is %q, %v", more, source, err)
		}
		callDeploy(t, []string{"RELATIONINDEX_DATABASE=blue"}, "deploy", append(more, "--dry-run", "--files", dir)...).Want(t, exitOK) // again
	}
	app := t.TempDir()
	if err := os.WriteFile(filepath.Join(app, "firebase.json"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	callDeploy(t, nil, "deploy", "--dry-run", "--files", app).Want(t, exitFailed, "--files "+app+": the directory has files, but none of an earlier --files")
}

// An unconfirmed undeploy runs nothing, and its dry run needs no confirmation.
func TestUndeployRequiresConfirmation(t *testing.T) {
	callDeploy(t, []string{"PATH="}, "undeploy").Want(t, exitFailed, "database (default)", "Type its name", "not confirmed: nothing was changed")
	out := callDeploy(t, nil, "undeploy", "--dry-run")
	out.Want(t, exitOK, "gcloud functions delete relationindex-feed", "# Deployment relationindex, project p, database (default)")
	if strings.Contains(out.Stdout, "composite") {
		t.Error("without --indexes it removes indexes")
	}
}

// An app's own module is uploaded in place of ours, with what it vendors.
func TestDeployOfAnAppsModule(t *testing.T) {
	module, ours := t.TempDir(), t.TempDir()
	callDeploy(t, nil, "deploy", "--dry-run", "--module", "").Want(t, exitUsage, "--module is empty")
	callDeploy(t, nil, "deploy", "--dry-run", "--module", module).Want(t, exitFailed, "go.mod: no such file", "go mod vendor")
	for _, name := range []string{"go.mod", "vendor/modules.txt", "vendor/github.com/GoogleCloudPlatform/functions-framework-go/funcframework/doc.go"} {
		file := filepath.Join(module, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(module, "relationindex.env"), []byte("RELATIONINDEX_COPIED_FIELDS=text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	callDeploy(t, nil, "deploy", "--dry-run", "--files", ours).Want(t, exitOK, "--source=. ")
	dir := t.TempDir()
	callDeploy(t, nil, "deploy", "--dry-run", "--module", module, "--files", dir).Want(t, exitOK, "--source="+module+" --entry-point=OnPostWritten", "at most 500 MiB are uploaded", "RELATIONINDEX_COPIED_FIELDS=text")
	var digests []string
	for _, of := range []string{ours, dir} {
		digest, err := os.ReadFile(filepath.Join(of, "source"))
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, string(digest))
	}
	if digests[0] == digests[1] {
		t.Error("the digest is that of our module alone")
	}
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/testkit/program"
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
	write("posts/p", map[string]any{"userId": "ada", "createdAt": time.Now()})
	relationindex(t, "survey", "--project", project).Want(t, exitOK,
		"users/*/followers: 1 document; of 1 read 0 strange\n", "users: 1 document, 1 with name; of 1 read 0 strange\n",
		"posts: 1 document, 1 with userId, 1 with createdAt; of 1 read 1 strange, as posts/p (its fields: createdAt, userId): without audience and hidden", "relationindex fill-posts", "survey: 0 collections to solve first, in ")
	write("users/bob/following/ada", map[string]any{"since": 2020})
	relationindex(t, "survey", "--project", project).Want(t, exitFailed,
		"users/*/following: 1 document; of 1 read 1 strange, as users/bob/following/ada (its fields: since): functions overwrite", "RELATIONINDEX_USERS=graph", "survey: 1 collections to solve first, in ")
	relationindex(t, "survey", "--project", project, "--json").Want(t, exitFailed, `{"collection":"users/*/following","documents":1,"sampled":1,"strange":1,"example":"users/bob/following/ada","fields":["since"]`, `"stops":1}`)
	relationindex(t, "survey", "--sample", "1001").Want(t, exitUsage, "--sample 1001: must be 1 to 1000")
}

// The app has authorId and created in place of userId and createdAt, so nothing would work. Each command
// reports what it saw and skipped, and fails. Commands on an empty database fail too.
func TestCommandsFailOnDatabaseWithOtherFieldNames(t *testing.T) {
	t.Parallel()
	const project, posts = "demo-other-names", 30
	nothing := [][]string{{"survey"}, {"verify"}}
	for n, args := range nothing {
		relationindex(t, append(args, "--project", project)...).Want(t, exitFailed, []string{"survey: none of these collections has a document", "verify: found nothing to check"}[n])
	}
	c := client(t, project)
	batch := c.BulkWriter(t.Context())
	var rows strings.Builder
	for n := range posts {
		id := fmt.Sprintf("p%02d", n)
		if _, err := batch.Set(c.Doc("posts/"+id), map[string]any{"authorId": "ada", "created": time.Now(), "text": "x"}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&rows, "%s,ada,1341100972\n", id)
	}
	batch.End()
	relationindex(t, "survey", "--project", project).Want(t, exitFailed,
		"posts: 30 documents, 0 with userId, 0 with createdAt; 30 strange, 30 of the 30 read, as posts/p", " (its fields: authorId, created, text): without the author's id in userId",
		"without a timestamp in createdAt", "survey: 1 collections to solve first, in ")
	out := relationindex(t, "import", "posts", program.File(t, "posts.csv", rows.String()), "--columns", "id=1,author=2,createdAt=3", "--project", project)
	out.Want(t, exitFailed, "imported 0, skipped 30 (0 malformed, 0 self-follows, 30 are something else already)\n",
		"exists without userId and createdAt, and stays unchanged\n", "10 more skipped lines are not shown", "import posts: 30 existing posts with these ids lack userId or createdAt: run relationindex survey")
	// A line that is none is no reason to doubt the columns.
	headed := program.File(t, "headed.csv", "post,author,made\n"+rows.String())
	out = relationindex(t, "import", "posts", headed, "--columns", "id=1,author=2,createdAt=3", "--project", project)
	out.Want(t, exitFailed, "imported 0, skipped 31 (1 malformed", "import posts: 30 existing posts with these ids lack userId or createdAt: run relationindex survey")
	out = relationindex(t, "verify", "--project", project)
	out.Want(t, exitFailed, "30 × skipped: userId is not a string\n  posts/p00: skipped: userId is not a string\n  posts/p01: ", "  posts/p02: ",
		"30 posts, 0 relations, 0 open jobs, 0 blocks, skipped 30\nverify: 0 violations\n", "verify: 30 of 30 posts have no author in the field userId, so no follower gets these posts", "relationindex survey")
	if strings.Contains(out.Stdout, "posts/p03") {
		t.Errorf("it names more than a few: %s", out.Stdout)
	}
	relationindex(t, "verify", "--project", project, "--json").Want(t, exitFailed, `{"document":"posts/p29","skipped":"userId is not a string"}`, `"posts":30,"ignoredPosts":30,`)
}

// Posts of another shape are counted, though no sample sees them.
func TestSurveyCommandCountsUnsampledPosts(t *testing.T) {
	t.Parallel()
	const project = "demo-survey-alike"
	c := client(t, project)
	batch := c.BulkWriter(t.Context())
	for n := range 1200 {
		id, fields := fmt.Sprint("0_", n), map[string]any{"userId": "ada", "createdAt": time.Now(), "audience": "ada", "hidden": false}
		switch {
		case n < 100: // what every place before zz begins with
			id = fmt.Sprint("zzy_", n)
		case n >= 200: // behind all
			id, fields = fmt.Sprintf("zzz_%05d", n), map[string]any{"authorId": "ada", "created": time.Now()}
		}
		if _, err := batch.Set(c.Doc("posts/"+id), fields); err != nil {
			t.Fatal(err)
		}
	}
	batch.End()
	relationindex(t, "survey", "--project", project).Want(t, exitFailed,
		"posts: 1,200 documents, 200 with userId, 200 with createdAt; 1,000 strange, none of the 100 read: without the author's id in userId, nobody gets them",
		"1,000 strange, none of the 100 read: without a timestamp in createdAt", "survey: 1 collections to solve first, in ")
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
	relationindex(t, "deploy-check", "--app", app, "--write-merged", merged).Want(t, exitUsage, "the file already exists: name a new file")
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

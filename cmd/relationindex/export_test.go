package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/testkit/program"
)

// stored are the fields of all documents of a collection group, by path.
func stored(t *testing.T, project, collection string) map[string]map[string]any {
	t.Helper()
	docs, err := client(t, project).CollectionGroup(collection).Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]any{}
	for _, doc := range docs {
		_, path, _ := strings.Cut(doc.Ref.Path, "/documents/")
		all[path] = doc.Data()
	}
	return all
}

// An export imported into another database has the same graph and the same posts.
func TestExportIsImportedAgain(t *testing.T) {
	t.Parallel()
	const from, to = "demo-export-from", "demo-export-to"
	at := time.Date(2026, 3, 4, 5, 6, 7, 89000, time.UTC)
	follow, post := map[string]any{"createdAt": at}, func(audience string, hidden bool) map[string]any {
		return map[string]any{"userId": "ada", "createdAt": at, "audience": audience, "hidden": hidden}
	}
	written := map[string]map[string]any{
		"users/ada/followers/bob": follow, "users/ada/followers/a, \"b\" ": follow, "users/ada/followers/#1": follow, "users/g_x/followers/\u202eé": follow,
		"posts/p1": post("ada", false), "posts/p2": post("g_x", false), "posts/,": post("", true), "posts/p3": post("", false),
	}
	c := client(t, from)
	for path, data := range written {
		if _, err := c.Doc(path).Create(t.Context(), data); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for kind, columns := range map[string]string{"follows": "follower=1,followed=2,createdAt=3", "posts": "id=1,author=2,createdAt=3,audience=4,hidden=5"} {
		file := filepath.Join(dir, kind+".csv.gz")
		relationindex(t, "export", kind, file, "--project", from).Want(t, exitOK, "exported 4, left out 0\n")
		relationindex(t, "import", kind, file, "--columns", columns, "--project", to).Want(t, exitOK, "imported 4, skipped 0")
		relationindex(t, "export", kind, "--help").Want(t, exitOK, "--columns "+columns)
		collection := map[string]string{"follows": "followers", "posts": "posts"}[kind]
		if diff := cmp.Diff(stored(t, from, collection), stored(t, to, collection)); diff != "" {
			t.Errorf("%s (-exported +imported):\n%s", kind, diff)
		}
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) != 2 {
		t.Errorf("%q is left, %v", names, err)
	}
}

// Beyond one page, all documents are as of the time of the first. The export names the follows that no line can hold.
func TestExportPagesAndReportsInvalidFollows(t *testing.T) {
	t.Parallel()
	const project = "demo-export-many"
	var text strings.Builder
	for n := range 5100 {
		fmt.Fprintf(&text, "reader%d ada\n", n)
	}
	file := program.File(t, "graph.txt", text.String())
	relationindex(t, "import", "follows", file, "--columns", "follower=1,followed=2", "--project", project).Want(t, exitOK, "imported 5100")
	c := client(t, project)
	for _, path := range []string{"users/ada/followers/two\nlines", "users/eve/followers/eve", "clubs/c1/followers/bob"} {
		if _, err := c.Doc(path).Create(t.Context(), map[string]any{"createdAt": time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	out := relationindex(t, "export", "follows", "-", "--json", "--project", project)
	out.Want(t, exitFailed, `{"exported":5100,"leftOut":2,"moments":1}`, "left out: ", "control character", "cannot follow themselves")
	lines := strings.Split(strings.TrimSuffix(out.Stdout, "\n"), "\n")
	if len(lines) != 5101 || lines[0] != "# follower,followed,createdAt" || !strings.HasPrefix(lines[1], "reader0,ada,20") {
		t.Errorf("%d lines, the first %q", len(lines), lines[:2])
	}

	// An existing file stays until the export is complete.
	kept := program.File(t, "kept.csv", "before")
	program.Run(t, []string{"FIRESTORE_EMULATOR_HOST=127.0.0.1:1"}, "export", "follows", kept).Want(t, exitFailed, "no Firestore emulator")
	if text, err := os.ReadFile(kept); err != nil || string(text) != "before" {
		t.Errorf("%q, %v", text, err)
	}
	relationindex(t, "export", "follows", kept, "--project", project).Want(t, exitFailed, kept+" already exists: name another file, or add --overwrite")
	relationindex(t, "export", "follows", t.TempDir(), "--project", project).Want(t, exitFailed, " is not a regular file: name a file, or - for standard output")
	relationindex(t, "export", "follows", os.DevNull, "--overwrite", "--project", project).Want(t, exitFailed, " is not a regular file")
	relationindex(t, "export", "follows", kept, "--overwrite", "--project", project).Want(t, exitFailed, "exported 5100, left out 2")
	relationindex(t, "export", "follows", filepath.Join(t.TempDir(), "none", "f.csv"), "--project", project).Want(t, exitFailed, "none/f.csv.part")
	relationindex(t, "export", "likes", "-").Want(t, exitUsage, `export "likes"`)
}

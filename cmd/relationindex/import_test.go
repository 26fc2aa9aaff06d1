package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/testkit/program"
)

// paths are the documents of a collection group of a project, sorted by name.
func paths(t *testing.T, project, collection string) []string {
	t.Helper()
	docs, err := client(t, project).CollectionGroup(collection).Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, doc := range docs {
		_, path, _ := strings.Cut(doc.Ref.Path, "/documents/")
		paths = append(paths, path)
	}
	return paths
}

func TestImportFollows(t *testing.T) {
	t.Parallel()
	const project = "demo-import-follows"
	// CRLF, a comment, white space and commas in turn, a row twice.
	file := program.File(t, "graph.txt", "# follower followed\r\nbob\talice\r\n\r\ncarol, alice\r\ndave\r\neve eve\r\nbob alice\r\na/b alice\r\n")
	want := []string{"users/alice/followers/bob", "users/alice/followers/carol"}
	for _, written := range []string{"imported 2, 1 were", "imported 0, 3 were"} { // the second time nothing is doubled
		out := relationindex(t, "import", "follows", file, "--columns", "follower=1,followed=2", "--project", project)
		out.Want(t, exitOK, "first row: bob follows alice\n", written+" there already, skipped 3 (2 malformed, 1 self-follows)\n", file+":5: ", file+`:8: follower: id "a/b"`)
		if diff := cmp.Diff(want, paths(t, project, "followers")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	doc, err := client(t, project).Doc(want[0]).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	createdAt, ok := doc.Data()["createdAt"].(time.Time)
	if age := doc.CreateTime.Sub(createdAt); len(doc.Data()) != 1 || !ok || age.Abs() > time.Second {
		t.Errorf("follow document %v, want createdAt to be the server's time, %v, and nothing else", doc.Data(), doc.CreateTime)
	}
}

func TestImportPosts(t *testing.T) {
	t.Parallel()
	const project = "demo-import-posts"
	text := "223789 213163 1341100972 MT\n223789 213163 1341100972 RE\n376989 50329 yesterday RT\n376989 50329 2012-07-01T02:02:52+02:00 RT\n"
	file := program.File(t, "activity.txt", text)
	for _, counts := range [][2]string{{`"imported":3`, ""}, {`"imported":0`, `,"found":3`}} {
		out := relationindex(t, "import", "posts", file, "--columns", "author=1,createdAt=3", "--project", project, "--json")
		out.Want(t, exitOK, file+`:3: createdAt: time "yesterday"`, " by 223789 at 2012-07-01T00:02:52Z\n")
		if want := "{" + counts[0] + `,"skipped":1,"malformed":1,"selfFollows":0` + counts[1] + "}\n"; out.Stdout != want {
			t.Errorf("it printed %q, want %q", out.Stdout, want)
		}
		if n := len(paths(t, project, "posts")); n != 3 {
			t.Errorf("%d posts, want 3", n)
		}
	}
}

func TestImportPostsWithIDs(t *testing.T) {
	t.Parallel()
	const project = "demo-import-ids"
	columns := []string{"--columns", "author=2,createdAt=3,id=1", "--project", project}
	file := program.File(t, "posts.csv", "p1,alice,1341100972\np2,alice,1341100973\n__p3__,alice,1341100973\n")
	relationindex(t, append([]string{"import", "posts", file}, columns...)...).Want(t, exitOK, "first row: post p1 by alice at 2012-07-01T00:02:52Z\n", "imported 2, skipped 1")
	if diff := cmp.Diff([]string{"posts/p1", "posts/p2"}, paths(t, project, "posts")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A second import does not undo later changes.
	c := client(t, project)
	if _, err := c.Doc("posts/p1").Set(t.Context(), map[string]any{"userId": "alice", "createdAt": time.Now(), "text": "edited"}); err != nil {
		t.Fatal(err)
	}
	relationindex(t, append([]string{"import", "posts", file}, columns...)...).Want(t, exitOK, "imported 0, 2 were there already, skipped 1")
	doc, err := c.Doc("posts/p1").Get(t.Context())
	if err != nil || doc.Data()["text"] != "edited" {
		t.Errorf("posts/p1 is %v, %v after the file was imported again", doc.Data(), err)
	}
}

func TestImportStopsAtTheLimit(t *testing.T) {
	t.Parallel()
	const project = "demo-import-limit"
	var text strings.Builder
	for n := range 30 {
		fmt.Fprintf(&text, "bad\nreader%d alice\n", n)
	}
	file := program.File(t, "graph.txt", text.String())
	relationindex(t, "import", "follows", file, "--columns", "follower=1,followed=2", "--project", project, "--limit", "7", "--parallel", "3").
		Want(t, exitOK, "imported 7, skipped 7 (7 malformed, 0 self-follows)")
	// Columns that are not there, and a header.
	relationindex(t, "import", "follows", file, "--columns", "follower=1,followed=9", "--project", project).
		Want(t, exitFailed, "imported 0, skipped 60 (60 malformed", "no line is a valid row: check --columns follower=1,followed=9")
	empty := program.File(t, "empty.txt", "# nothing\n")
	relationindex(t, "import", "follows", empty, "--columns", "follower=1,followed=2", "--project", project).
		Want(t, exitFailed, "imported 0, skipped 0", "import follows: "+empty+" contains no rows")
	relationindex(t, "import", "follows", file, "--columns", "follower=1,followed=1").Want(t, exitUsage, "follower and followed are both column 1")
	headed := program.File(t, "headed.csv", "followed,follower\nalice,reader0\n")
	relationindex(t, "import", "follows", headed, "--columns", "follower=2,followed=1", "--project", project).Want(t, exitOK, "first row: reader0 follows alice\n", "imported 0, 1 were there already, skipped 0")
	// A header with other names is a row, which is shown.
	others := program.File(t, "others.csv", "fan,idol\n")
	relationindex(t, "import", "follows", others, "--columns", "follower=1,followed=2", "--project", project, "--direct").Want(t, exitOK, "first row: fan follows idol\n", "imported 1, skipped 0")
	// Of many malformed lines the first are named, and all are counted.
	out := relationindex(t, "import", "follows", file, "--columns", "follower=1,followed=2", "--project", project)
	out.Want(t, exitOK, "imported 23, 7 were there already, skipped 30 (30 malformed, 0 self-follows)", "10 more skipped lines are not shown")
	if n := strings.Count(out.Stderr, file+":"); n != mostShown {
		t.Errorf("%d malformed lines are named, want %d", n, mostShown)
	}
}

// A file that ends too early is imported as far as it goes, and that is said.
func TestImportOfTruncatedFile(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	for n := range 2000 {
		fmt.Fprintf(zip, "reader%d alice%d\n", n, n*7919)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	cut := program.File(t, "cut.gz", packed.String()[:200])
	out := relationindex(t, "import", "follows", cut, "--project", "demo-gzip-cut", "--columns", "follower=1,followed=2")
	out.Want(t, exitFailed, cut, "unexpected EOF", fmt.Sprintf("imported %d,", len(paths(t, "demo-gzip-cut", "followers"))))
}

func TestImportFollowsDirectly(t *testing.T) {
	t.Parallel()
	const project = "demo-import-direct"
	var text strings.Builder
	for n := range 8 { // of dev's capacity of 3, there is more than one index document
		fmt.Fprintf(&text, "reader%d alice\n", n)
	}
	file := program.File(t, "graph.txt", text.String()+"dave\neve eve\n")
	args := []string{"import", "follows", file, "--columns", "follower=1,followed=2", "--project", project, "--direct"}
	env := []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost, "RELATIONINDEX_CAPACITY=3"}
	out := program.Run(t, env, args...)
	out.Want(t, exitOK, "imported 8, skipped 2 (1 malformed, 1 self-follows)\n", " edges/s, peak memory ", " MiB\n", file+":9: ")
	program.Run(t, env, "verify", "--project", project).Want(t, exitOK, "checked 8 follows, 8 edges, 3 index documents", "verify: 0 violations")
	out = program.Run(t, env, append(args, "--json", "--parallel", "2", "--limit", "5")...)
	out.Want(t, exitOK)
	var got map[string]float64
	if err := json.Unmarshal([]byte(out.Stdout), &got); err != nil {
		t.Fatalf("it printed %q: %v", out.Stdout, err)
	}
	if rate, memory := got["edgesPerSecond"], got["peakMemoryBytes"]; len(got) != 6 || got["imported"] != 5 || rate <= 0 || memory < 1<<20 || memory > 256<<20 {
		t.Errorf("it printed %s", out.Stdout)
	}
}

func TestImportRejectsInvalidArguments(t *testing.T) {
	t.Parallel()
	file := program.File(t, "graph.txt", "bob alice\n")
	none := filepath.Join(t.TempDir(), "none.txt")
	columns := "follower=1,followed=2"
	tests := map[string]struct {
		args []string
		code int
		says string
	}{
		"no file":          {[]string{"follows", none, "--columns", columns}, exitFailed, none},
		"no columns":       {[]string{"follows", file}, exitUsage, "columns"},
		"wrong columns":    {[]string{"follows", file, "--columns", "author=1"}, exitUsage, `for example "follower=1,followed=2"`},
		"negative limit":   {[]string{"follows", file, "--columns", columns, "--limit", "-1"}, exitUsage, "--limit -1"},
		"no parallelism":   {[]string{"follows", file, "--columns", columns, "--parallel", "0"}, exitUsage, "--parallel 0"},
		"nothing to do":    {nil, exitUsage, "import: the command is incomplete"},
		"something else":   {[]string{"likes", file}, exitUsage, `import "likes"`},
		"two files":        {[]string{"posts", file, file}, exitUsage, "1 arg"},
		"posts directly":   {[]string{"posts", file, "--columns", "author=1,createdAt=2", "--direct"}, exitUsage, "--direct"},
		"no groups":        {[]string{"follows", file, "--columns", columns, "--direct", "--parallel", "1001"}, exitUsage, "--parallel 1001"},
		"an unknown flag":  {[]string{"posts", file, "--colums", columns}, exitUsage, "--colums"},
		"not even a graph": {[]string{"follows", t.TempDir(), "--columns", columns}, exitFailed, "is a directory"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			relationindex(t, append([]string{"import"}, tt.args...)...).Want(t, tt.code, tt.says)
		})
	}
	args := []string{"import", "follows", file, "--columns", columns}
	program.Run(t, nil, args...).Want(t, exitUsage, "FIRESTORE_EMULATOR_HOST", "--project")
	program.Run(t, []string{"GOOGLE_CLOUD_PROJECT=my-project"}, args...).Want(t, exitUsage, "FIRESTORE_EMULATOR_HOST", "--project")
	program.Run(t, []string{"FIRESTORE_EMULATOR_HOST=127.0.0.1:1"}, args...).Want(t, exitFailed, "FIRESTORE_EMULATOR_HOST=127.0.0.1:1")
	program.Run(t, []string{"FIRESTORE_EMULATOR_HOST=localhost"}, args...).Want(t, exitFailed, "FIRESTORE_EMULATOR_HOST", "host:port")
}

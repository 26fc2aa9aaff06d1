//go:build long

package house

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/schema"
)

// size is one row of sizes.txt: how many there are, and how many bytes these have together. Bytes are 0 where only the
// number matters.
type size struct {
	name          string
	number, bytes int
}

// slack is how far below its row a size may be before the row is to be lowered, and how many more bytes its lines may have: one in this many.
const slack = 200

// No size is above its row of sizes.txt, and the rows follow what falls. A larger size needs another row in the same
// commit, written by hand, and a reason. After something went: go test -tags long ./test/house -run Sizes -update
func TestSizesOnlyFall(t *testing.T) {
	t.Parallel()
	got := sizes(t)
	file, err := os.ReadFile("sizes.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]size{}
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, numbers, _ := strings.Cut(line, "|")
		row := size{name: strings.TrimSpace(name)}
		if _, err := fmt.Sscanf(numbers, "%d | %d", &row.number, &row.bytes); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if _, ok := want[row.name]; ok {
			t.Fatalf("sizes.txt has two rows %q", row.name)
		}
		want[row.name] = row
	}
	var lower strings.Builder
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			lower.WriteString(line)
		}
	}
	for _, s := range got {
		row, ok := want[s.name]
		if !ok {
			t.Errorf("sizes.txt has no row %q: it is %d, with %d bytes", s.name, s.number, s.bytes)
			continue
		}
		if s.number > row.number || s.bytes > row.bytes+row.bytes/slack {
			t.Errorf("%s: %d, with %d bytes; sizes.txt has %d, with %d: take something away, or raise the row by hand and say why in the commit", s.name, s.number, s.bytes, row.number, row.bytes)
		} else if !*update && (row.number-s.number > row.number/slack || row.bytes-s.bytes > row.bytes/slack) {
			t.Errorf("%s: %d, with %d bytes, is below its row in sizes.txt: run go test -tags long ./test/house -run Sizes -update", s.name, s.number, s.bytes)
		}
		fmt.Fprintf(&lower, "%-28s | %6d | %8d\n", s.name, min(s.number, row.number), min(s.bytes, row.bytes))
		delete(want, s.name)
	}
	for name := range want {
		t.Errorf("sizes.txt has a row %q, which nothing counts", name)
	}
	if *update && !t.Failed() {
		if err := os.WriteFile("sizes.txt", []byte(lower.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// written are files that a command writes: they do not count.
var written = regexp.MustCompile(`(^|/)(go\.sum|package-lock\.json)$|^web/dist/|^firestore\.feed-only\.rules$|^bench/results/|^test/golden/testdata/|^test/house/[a-z]+\.txt$|^cmd/relationindex/(internal/(deploy|dev)/)?testdata/[a-z0-9-]+\.(txt|sh)$`)

// kind is a row of files.
type kind struct {
	name  string
	files *regexp.Regexp
}

// kinds are the rows of files. The first that matches a file counts it.
var kinds = []kind{
	{"Go of tests", regexp.MustCompile(`_test\.go$`)},
	{"Go outside tests", regexp.MustCompile(`\.go$`)},
	{"testscript", regexp.MustCompile(`\.(txtar|txt)$`)},
	{"TypeScript and CSS", regexp.MustCompile(`^(web|client)/.*\.(ts|tsx|js|mjs|css)$`)},
	{"words of Markdown", regexp.MustCompile(`\.md$`)},
	{"other text", regexp.MustCompile(`^`)},
}

const (
	markdown = 4
	others   = 5
)

func sizes(t *testing.T) []size {
	t.Helper()
	rows := make([]size, len(kinds))
	for i, kind := range kinds {
		rows[i].name = kind.name
	}
	folders, linked := map[string]bool{}, size{name: "Go linked into functions"}
	deployed := deployedFolders(t)
	for _, name := range tracked(t) {
		if top, _, ok := strings.Cut(name, "/"); ok {
			folders[top] = true
		}
		if written.MatchString(name) {
			continue
		}
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		i := slices.IndexFunc(kinds, func(k kind) bool { return k.files.MatchString(name) })
		if i == others && bytes.IndexByte(text, 0) >= 0 { // a picture
			continue
		}
		n := bytes.Count(text, []byte("\n"))
		if i == markdown {
			n = len(bytes.Fields(text))
		}
		rows[i].number += n
		rows[i].bytes += len(text)
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && deployed[path.Dir(name)] {
			linked.number += n
			linked.bytes += len(text)
		}
	}
	public, err := os.ReadFile("public.txt")
	if err != nil {
		t.Fatal(err)
	}
	variables := 0
	for field := range reflect.TypeFor[schema.Config]().Fields() {
		if name := field.Tag.Get("env"); strings.HasPrefix(name, "RELATIONINDEX_") && !strings.HasPrefix(name, "RELATIONINDEX_TEST_") {
			variables++
		}
	}
	rows = append([]size{linked}, rows...)
	rows = append(rows, size{name: "variables", number: variables}, size{name: "public names", number: bytes.Count(public, []byte("\n"))}, size{name: "folders at the root", number: len(folders)})
	for _, row := range rows {
		if row.number == 0 && row.name != "testscript" {
			t.Errorf("nothing is counted for %s: this test does not see it", row.name)
		}
	}
	return rows
}

// tracked returns the names of the files in the repository, or added to it.
func tracked(t *testing.T) (names []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "--deduplicate")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal("git lists the files: ", err)
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSuffix(name, "\n")
		if info, err := os.Stat("../../" + name); err == nil && info.Mode().IsRegular() {
			names = append(names, name)
		}
	}
	return names
}

// deployedFolders returns the folders of the packages that the functions link.
func deployedFolders(t *testing.T) map[string]bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", ".")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for pkg := range strings.Lines(string(out)) {
		if pkg = strings.TrimSpace(pkg); ours(pkg) {
			folders[cmp.Or(strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/"), ".")] = true
		}
	}
	return folders
}

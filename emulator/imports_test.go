package emulator

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The emulator runs any functions. Of this module it links, over all hops, only its own folder; guard, ttl and weather the format
// of firestore.indexes.json; and faults what calls of any Firestore client go through.
func TestImports(t *testing.T) {
	const module = "example.com/relationindex"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var ours []string
	for _, p := range strings.Fields(string(out)) {
		if p == module || strings.HasPrefix(p, module+"/") {
			ours = append(ours, strings.TrimPrefix(p, module+"/"))
		}
	}
	slices.Sort(ours)
	want := []string{"emulator", "emulator/auth", "emulator/chaos", "emulator/exports", "emulator/faults", "emulator/front", "emulator/guard", "emulator/install", "emulator/instances", "emulator/process", "emulator/push", "emulator/siteguard", "emulator/ttl", "emulator/weather", "internal/indexfile", "internal/wire"}
	if diff := cmp.Diff(want, ours); diff != "" {
		t.Errorf("the emulator links (-want +got):\n%s", diff)
	}
}

// Nor does it read a variable of this product: those that it reads are Java's and firebase-tools'.
func TestEnvironment(t *testing.T) {
	read := regexp.MustCompile(`(?:Getenv|LookupEnv)\(("[^"]*"|[^)]*)\)`)
	var got []string
	files := os.DirFS(".")
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(files, name)
		for _, m := range read.FindAllSubmatch(text, -1) {
			got = append(got, string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	want := []string{`"FIRESTORE_EMULATOR_BINARY_PATH"`, `"JAVA_HOME"`, `"NODE_OPTIONS"`}
	if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
		t.Errorf("the emulator reads (-want +got):\n%s", diff)
	}
}

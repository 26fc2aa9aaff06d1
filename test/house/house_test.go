// Package house tests the structure of the module: which folder imports which. It holds tests only.
package house

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "example.com/relationindex"

// The folders at the top, each above those that it may import. The module's own package, which Google builds, is "".
var rooms = []string{
	"bench", "test", "cmd", "testkit", "local", "", "web", "prices", "audit", "functions", "feed", "social", "tallies", "ranking", "sending", "timelines", "relations",
	"readers", "accounts", "posts", "followers", "emulator", "internal", "chunker", "schema", "examples",
}

// Imports between folders at the top go down the list of rooms. So there is no circle of them.
func TestImportsGoOneWay(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", `{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}`, "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || !ours(to) {
			continue
		}
		above, below := slices.Index(rooms, room(from)), slices.Index(rooms, room(to))
		if above < 0 || below < 0 {
			t.Errorf("%s imports %s: one of them is in no room of this test", from, to)
		} else if above > below {
			t.Errorf("%s imports %s, which is above it", from, to)
		}
		found[room(to)] = true
	}
	for _, name := range []string{"schema", "chunker", "internal", "functions"} {
		if !found[name] {
			t.Errorf("nothing imports %s: this test does not see imports", name)
		}
	}
}

func ours(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// room is the folder at the top that a package is in.
func room(path string) string {
	top, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(path, module), "/"), "/")
	return top
}

package emulator

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The emulator runs any functions. Of this module it links, over all hops, only its own folder, and guard the format of
// firestore.indexes.json.
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
	want := []string{"emulator", "emulator/auth", "emulator/chaos", "emulator/guard", "emulator/install", "emulator/process", "emulator/siteguard", "internal/runtime/indexfile"}
	if diff := cmp.Diff(want, ours); diff != "" {
		t.Errorf("the emulator links (-want +got):\n%s", diff)
	}
}

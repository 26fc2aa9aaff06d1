package emulator

import (
	"os/exec"
	"strings"
	"testing"
)

// The emulator runs any functions. Of this module it links, over all hops, only internal packages: not relations,
// functions or chunker, nor an internal package that links one of them.
func TestImports(t *testing.T) {
	const module = "example.com/relationindex"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := strings.Fields(string(out))
	if last := packages[len(packages)-1]; last != module+"/emulator" {
		t.Fatalf("go list -deps ends with %s, want this package", last)
	}
	for _, p := range packages[:len(packages)-1] {
		if p == module || strings.HasPrefix(p, module+"/") && !strings.HasPrefix(p, module+"/internal/") {
			t.Errorf("the emulator links %s", p)
		}
	}
}

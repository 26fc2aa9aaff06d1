package scale

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// What our packages allocate before main begins, when there is no environment to
// check: every instance pays for it, for events and for nothing. A regular
// expression in a package-level variable is 30 to 700 allocations.
const mostAllocs = 100

func TestPackagesInitializeLittle(t *testing.T) {
	dir := t.TempDir()
	build(t, dir, "deployed")
	_, child := serve(t, filepath.Join(dir, "deployed"), "GODEBUG=inittrace=1")
	child.Stop(0)
	log, err := os.ReadFile(child.Log())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	lines := regexp.MustCompile(`(?m)^init (example\.com/relationindex\S*) .* (\d+) allocs$`).FindAllSubmatch(log, -1)
	for _, m := range lines {
		allocs, err := strconv.Atoi(string(m[2]))
		if err != nil {
			t.Fatal(err)
		}
		sum += allocs
	}
	if len(lines) == 0 || sum > mostAllocs {
		t.Errorf("%d allocations; want at most %d:\n%s", sum, mostAllocs, log)
	}
	t.Logf("%d allocations in %d packages", sum, len(lines))
}

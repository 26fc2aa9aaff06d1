package scale

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// mostAllocs bounds the allocations of our packages before main begins, without an
// environment to check. Every instance makes them. A regular expression in a
// package-level variable is 30 to 700 allocations.
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

//go:build long

package scale

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mostAllocs bounds the allocations of our packages before main begins, without an
// environment to check. Every instance makes them. A regular expression in a
// package-level variable is 30 to 700 allocations.
const mostAllocs = 100

// What is deployed starts with few allocations without configuration, and needs no
// database to check the one of production: it gets as far as its port, which is none.
func TestDeployedProgramStarts(t *testing.T) {
	program := filepath.Join(t.TempDir(), "deployed")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./internal/deployed").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	start := func(env ...string) string {
		cmd := exec.CommandContext(t.Context(), program, "no-port")
		cmd.Env = env
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), "tcp/no-port") || cmd.ProcessState.ExitCode() != 1 {
			t.Fatalf("with %q it ends with %v and says %s; want 1 and the port", env, cmd.ProcessState, out)
		}
		return string(out)
	}
	start("K_SERVICE=function", "GOOGLE_CLOUD_PROJECT=demo-scale", "FUNCTION_TARGET=OnFollowerWritten")
	log := start("GODEBUG=inittrace=1")
	sum := 0
	lines := regexp.MustCompile(`(?m)^init (example\.com/relationindex\S*) .* (\d+) allocs$`).FindAllStringSubmatch(log, -1)
	for _, m := range lines {
		allocs, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		sum += allocs
	}
	if len(lines) == 0 || sum > mostAllocs {
		t.Errorf("%d allocations; want at most %d:\n%s", sum, mostAllocs, log)
	}
}

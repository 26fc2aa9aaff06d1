package dev

import (
	"strings"
	"testing"

	"example.com/relationindex/testkit/program"
)

func TestDemo(t *testing.T) {
	out := program.Run(t, []string{"TMPDIR=" + t.TempDir()}, "demo")
	out.Want(t, program.OK, ", 0 open jobs,", "verify: 0 violations")
	var titles strings.Builder
	for line := range strings.Lines(out.Stdout) {
		if number, _, found := strings.Cut(line, ". "); found && strings.Trim(number, "0123456789") == "" {
			titles.WriteString(line)
		}
	}
	program.Golden(t, "testdata/demo-steps.txt", titles.String())
	if _, counts, _ := strings.Cut(out.Stdout, "\nchecked "); strings.HasPrefix(counts, "0 follows") || strings.Contains(counts, " 0 relations,") {
		t.Errorf("verify has seen nothing: %s", out.Stdout)
	}
	if out.Stderr != "" {
		t.Errorf("it prints %q on standard error", out.Stderr)
	}
}

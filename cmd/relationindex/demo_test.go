package main

import (
	"strings"
	"testing"
)

func TestDemo(t *testing.T) {
	out := runProgram(t, []string{"TMPDIR=" + t.TempDir()}, "demo")
	out.want(t, exitOK, ", 0 open jobs,", "verify: 0 violations")
	var titles strings.Builder
	for line := range strings.Lines(out.stdout) {
		if number, _, found := strings.Cut(line, ". "); found && strings.Trim(number, "0123456789") == "" {
			titles.WriteString(line)
		}
	}
	wantGolden(t, "testdata/demo-steps.txt", titles.String())
	if _, counts, _ := strings.Cut(out.stdout, "\nchecked "); strings.HasPrefix(counts, "0 follows") || strings.Contains(counts, " 0 relations,") {
		t.Errorf("verify has seen nothing: %s", out.stdout)
	}
	if out.stderr != "" {
		t.Errorf("it prints %q on standard error", out.stderr)
	}
}

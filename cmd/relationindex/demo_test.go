package main

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/relationindex/relations"
)

func TestDemo(t *testing.T) {
	out := runProgram(t, []string{"TMPDIR=" + t.TempDir()}, "demo")
	out.want(t, exitOK, "the feed of bob:", "Good morning, everyone", "index documents")
	if !strings.HasSuffix(out.stdout, "\nverify: 0 violations\n") || out.stderr != "" {
		t.Errorf("it ends with %q, and says %q on standard error", out.stdout[max(0, len(out.stdout)-200):], out.stderr)
	}
}

func TestDemoAsJSON(t *testing.T) {
	out := runProgram(t, []string{"TMPDIR=" + t.TempDir()}, "demo", "--json")
	out.want(t, exitOK)
	lines := strings.Split(strings.TrimSpace(out.stdout), "\n")
	if len(lines) != len(story)+1 {
		t.Fatalf("%d lines, want one for each of %d steps and the counts:\n%s", len(lines), len(story), out.stdout)
	}
	for n, line := range lines[:len(story)] {
		var r result
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Step != n+1 || r.Say != story[n].say || len(r.Feed) != len(story[n].feed) {
			t.Errorf("step %d is %s (%v)", n+1, line, err)
		}
	}
	var counts relations.Verified
	if err := json.Unmarshal([]byte(lines[len(story)]), &counts); err != nil || counts.Violations != 0 || counts.Relations == 0 {
		t.Errorf("the counts are %s (%v)", lines[len(story)], err)
	}
}

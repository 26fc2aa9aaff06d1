package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/relations"
)

func TestDemo(t *testing.T) {
	out := runProgram(t, []string{"TMPDIR=" + t.TempDir()}, "demo", "--json")
	out.want(t, exitOK)
	lines := strings.Split(strings.TrimSuffix(out.stdout, "\n"), "\n")
	if len(lines) != len(story)+1 || out.stderr != "" {
		t.Fatalf("it prints %d lines for %d steps: %q, and %q on standard error", len(lines), len(story), out.stdout, out.stderr)
	}
	for n, line := range lines[:len(story)] {
		var step result
		if err := json.Unmarshal([]byte(line), &step); err != nil || step.Step != n+1 || step.Say != story[n].say || len(step.Feed) != len(story[n].feed) {
			t.Errorf("step %d is %s: %v", n+1, line, err)
		}
	}
	var counts relations.Verified
	if err := json.Unmarshal([]byte(lines[len(story)]), &counts); err != nil || counts.Followers == 0 || counts.Relations == 0 || counts.Violations != 0 {
		t.Errorf("verify says %s: %v", lines[len(story)], err)
	}
}

func TestAStepOfTheDemoAsText(t *testing.T) {
	var out strings.Builder
	d := &demo{out: &out}
	at := time.Date(2026, 7, 1, 9, 30, 0, 0, time.UTC)
	feed := []entry{{PostID: "p1", UserID: "alice", CreatedAt: at, Fields: map[string]any{"text": "Good morning, everyone"}}}
	for _, step := range []result{
		{Step: 1, Say: "nothing yet", Reader: "bob"},
		{Step: 2, Say: "bob follows", Reader: "bob", Feed: feed, Events: 1, Seconds: 0.5, IndexDocuments: 2, Relations: 3},
	} {
		if err := d.show(step); err != nil {
			t.Fatal(err)
		}
	}
	want := `
1. nothing yet
   0 events in 0.00 s; now 0 index documents, 0 relations
   the feed of bob is empty

2. bob follows
   1 event in 0.50 s; now 2 index documents, 3 relations
   the feed of bob:
      TIME   AUTHOR  TEXT
      09:30  alice   Good morning, everyone
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

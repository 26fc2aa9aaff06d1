package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDemo(t *testing.T) {
	out := runProgram(t, []string{"TMPDIR=" + t.TempDir()}, "demo")
	out.want(t, exitOK, "the feed of bob:", "Good morning, everyone", "index documents")
	if !strings.HasSuffix(out.stdout, "\nverify: 0 violations\n") || out.stderr != "" {
		t.Errorf("it ends with %q, and says %q on standard error", out.stdout[max(0, len(out.stdout)-200):], out.stderr)
	}
}

func TestAStepOfTheDemoAsJSON(t *testing.T) {
	var out strings.Builder
	step := result{Step: 2, Say: "bob follows", Reader: "bob", Feed: []entry{{PostID: "p1"}}, Events: 1}
	if err := (&demo{out: &out, json: true}).show(step); err != nil {
		t.Fatal(err)
	}
	var got result
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil || !strings.HasSuffix(out.String(), "}\n") {
		t.Fatalf("%q: %v", out.String(), err)
	}
	if got.Step != 2 || got.Say != step.Say || len(got.Feed) != 1 || got.Feed[0].PostID != "p1" {
		t.Errorf("it prints %+v, want %+v", got, step)
	}
}

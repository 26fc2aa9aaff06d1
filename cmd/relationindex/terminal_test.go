package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"example.com/relationindex/chunker"
	"example.com/relationindex/testkit/program"
)

// hostile is an id as a client may write it: it clears the screen, names the
// window, begins a line of its own, turns the direction of what follows, and
// speaks to a terminal of eight bits.
const hostile = "\x1b[2Jx\x1b]0;title\a\r\nverify: 0 violations\u202e\u2066\u009b1m\u2028y"

// Whatever clients wrote, commands and their errors print no character that a
// terminal acts on, and no line that a client has made.
func TestCommandsPrintNoTerminalControls(t *testing.T) {
	t.Parallel()
	const project = "demo-terminal"
	c := client(t, project)
	for _, job := range []chunker.Job{
		{ID: hostile, Kind: hostile, State: chunker.Failed, Args: map[string]string{"author": hostile}, Error: &chunker.Failure{Code: "Internal", Message: hostile}, UpdatedAt: time.Now()},
		{ID: hostile + "2", Kind: "index", State: chunker.Done, Field: hostile, Value: hostile, Collection: "posts", UpdatedAt: time.Now()},
	} {
		if _, err := c.Collection("_functions").Doc(job.ID).Set(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	for _, doc := range []struct {
		path []string
		data map[string]any
	}{
		{[]string{"users", hostile, "followers", hostile + "f"}, map[string]any{"createdAt": time.Now()}},
		{[]string{"users", hostile, "followers_index", "00001"}, map[string]any{"followers": hostile}},
		{[]string{"posts", hostile}, map[string]any{"userId": hostile, "createdAt": time.Now()}},
		{[]string{"_relations", hostile + "_00001"}, map[string]any{
			"postId": hostile, "userId": hostile, "indexId": "00001", "followers": []string{hostile}, "createdAt": time.Now(), hostile: hostile,
		}},
	} {
		ref := c.Collection(doc.path[0]).Doc(doc.path[1])
		if len(doc.path) > 2 {
			ref = ref.Collection(doc.path[2]).Doc(doc.path[3])
		}
		if _, err := ref.Set(t.Context(), doc.data); err != nil {
			t.Fatal(err)
		}
	}
	file := program.File(t, "graph.txt", strings.ReplaceAll(hostile, "\n", "")+"\n")
	for _, args := range [][]string{
		{"trace", hostile},
		{"verify"},
		{"verify", "--author", hostile},
		{"repair", "--dry-run"},
		{"feed", "--as", hostile},
		{"feed", "--as", "nobody" + hostile},
		{"feed", "--as", hostile + "/"},
		{"jobs", "list"},
		{"jobs", "show", hostile},
		{"jobs", "show", hostile + "2"},
		{"jobs", "show", "no" + hostile},
		{"jobs", "wait", hostile},
		{"jobs", "cancel", hostile},
		{"jobs", "retry", hostile},
		{"import", "follows", file, "--columns", "follower=1,followed=2"},
		{"import", "follows", "/" + hostile, "--columns", "follower=1,followed=2"},
		{"verify", "--" + hostile},
		{hostile},
		{"repair"},
		{"repair", "--author", hostile},
	} {
		args = append(args, "--project", project)
		wantHarmless(t, args, relationindex(t, args...), false)
		switch args[0] {
		case "trace", "verify", "repair", "feed":
			out := relationindex(t, append(args, "--json")...)
			wantHarmless(t, append(args, "--json"), out, true)
		}
	}
	out := relationindex(t, "jobs", "show", hostile, "--project", project, "--json")
	wantHarmless(t, []string{"jobs show --json"}, out, true)
	var job struct{ ID string }
	if err := json.Unmarshal([]byte(out.Stdout), &job); err != nil || job.ID != hostile {
		t.Errorf("the id is %q in JSON, want %q: %v", job.ID, hostile, err)
	}
}

// wantHarmless checks what a command printed.
func wantHarmless(t *testing.T, args []string, out program.Outcome, asJSON bool) {
	t.Helper()
	for where, text := range map[string]string{"standard output": out.Stdout, "standard error": out.Stderr} {
		if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
			t.Errorf("%q: %s has %q raw: %q", args, where, text[at:min(at+20, len(text))], text)
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "verify: 0 violations") && !strings.HasSuffix(line, "violations\n") {
				t.Errorf("%q: %s has a line that a client has made: %q", args, where, text)
			}
			if asJSON && where == "standard output" && !json.Valid([]byte(line)) {
				t.Errorf("%q: %q is no JSON", args, line)
			}
		}
	}
	if out.Stdout+out.Stderr == "" {
		t.Errorf("%q printed nothing", args)
	}
}

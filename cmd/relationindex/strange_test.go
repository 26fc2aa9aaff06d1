package main

import (
	"strings"
	"testing"
	"time"

	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/program"
)

// Whatever ids a server has written: each command comes to its totals, names what it leaves out, and
// prints nothing that a terminal acts on.
func TestCommandsOnStrangeIDs(t *testing.T) {
	t.Parallel()
	const project = "demo-strange"
	c := client(t, project)
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	testkit.WriteStrange(t, c, at)
	long := strings.Repeat("y", 1500)
	for path, fields := range map[string]map[string]any{
		"posts/good":             {"userId": "author", "audience": "author", "hidden": false, "createdAt": at},
		"users/author":           {"name": "Author"},
		"users/author/blocked/x": {"createdAt": at},
		// Documents of an earlier repair.
		"_relations/__id5___00001":       {"postId": "__id5__", "userId": "author", "audience": "author", "indexId": "00001", "createdAt": at, "followers": []string{"r1"}, "text": "x"},
		"users/r1/timeline/__id5__":      {"post": "__id5__", "author": "author", "audience": "author", "at": at.UnixMicro(), "posts": []string{"__id5__"}, "accounts": []string{"author"}},
		"users/" + long + "/timeline/p1": {"post": "good", "author": "author", "audience": "author", "at": at.UnixMicro(), "posts": []string{"good"}, "accounts": []string{"author"}},
		"users/r1/followers/r2":          {"createdAt": at},
		"users/r1/timeline/good":         {"post": "good", "author": "author", "audience": "", "at": at.UnixMicro(), "posts": []string{"good"}, "accounts": []string{"author"}},
	} {
		if _, err := c.Doc(path).Set(t.Context(), fields); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost, "RELATIONINDEX_FEEDS=relations,items"}
	run := func(code int, says []string, args ...string) {
		t.Helper()
		out := program.Run(t, env, append(args, "--project", project)...)
		if args[0] != "export" { // which writes a file
			wantHarmless(t, args, out, false)
		}
		if out.Code != code {
			t.Errorf("%.60q: exit code %d, want %d: %.2000s", args, out.Code, code, out.Stderr)
		}
		for _, text := range says {
			if !strings.Contains(out.Stdout+out.Stderr, text) {
				t.Errorf("%.60q does not say %.200q", args, text)
			}
			if once := strings.Count(out.Stdout+out.Stderr, text); strings.Contains(text, "strange id") && once > 1 {
				t.Errorf("%.60q says %.200q %d times", args, text, once)
			}
		}
	}
	post := `"document":"posts/__id5__","skipped":"strange id`
	tooLong := `"document":"users/` + long + `","skipped":"strange id: it has 1500 bytes, an account's may have 1499"`
	const grouped = " × skipped: strange id: it has … bytes, an account's may have …\n  "
	run(exitFailed, []string{post, tooLong, `"posts/` + strings.Repeat("z", 701) + `","skipped":`, `"users/__id5__","skipped":`}, "verify", "--json")
	run(exitFailed, []string{grouped, ", skipped ", "\nverify: "}, "verify")
	run(exitFailed, []string{post, tooLong}, "verify-timelines", "--json")
	run(exitFailed, []string{", skipped ", "\nverify-timelines: "}, "verify-timelines")
	run(exitFailed, []string{"skipped ", "would repair: "}, "repair", "--dry-run")
	run(exitOK, []string{"skipped ", "after: 0 violations"}, "repair")
	run(exitOK, []string{post, tooLong}, "verify", "--json")
	run(exitOK, []string{grouped, "\nverify: 0 violations"}, "verify")
	run(exitOK, []string{", skipped ", "\nrepair-timelines: mended "}, "repair-timelines")
	run(exitOK, []string{", skipped ", "\nrepair-timelines: "}, "repair-timelines", "--delete")
	run(exitOK, []string{tooLong}, "verify-timelines", "--json")
	run(exitOK, []string{"\nverify-timelines: 0 problems"}, "verify-timelines")
	run(exitFailed, []string{"trace: ", "users/__id5__"}, "trace", "__id5__")
	run(exitFailed, []string{"trace: "}, "trace", long)
	run(exitOK, []string{"nothing is removed without --yes"}, "purge", "r2")
	run(exitUsage, []string{"an account's may have 1499"}, "purge", long)
	run(exitFailed, []string{"left out: ", "it has 1500 bytes, an account's may have 1499"}, "export", "follows", "-")
	run(exitFailed, []string{"left out: ", "a post's may have 700"}, "export", "posts", "-")
	run(exitOK, []string{"survey: 0 collections to solve first"}, "survey")

	if doc, err := c.Doc("_relations/__id5___00001").Get(t.Context()); err == nil {
		t.Errorf("a repair leaves %v", doc.Ref.ID)
	}
	if doc, err := c.Doc("users/r1/timeline/__id5__").Get(t.Context()); err == nil {
		t.Errorf("a repair leaves %v", doc.Ref.ID)
	}
	file := program.File(t, "f.csv", "r1,"+long+"\n__id5__,author\nr3,author\n")
	run(exitFailed, []string{"imported 1", "1500 bytes", "two underscores", "most rows were skipped, 2 of 3"}, "import", "follows", file, "--columns", "follower=1,followed=2")
	file = program.File(t, "p.csv", strings.Repeat("z", 701)+",author,2026-11-23T12:00:00Z\np9,author,2026-11-23T12:00:00Z\n")
	run(exitOK, []string{"imported 1", "it has 701 bytes, a post's may have 700"}, "import", "posts", file, "--columns", "id=1,author=2,createdAt=3")
}

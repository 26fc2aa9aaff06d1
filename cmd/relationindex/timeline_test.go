package main

import (
	"testing"
	"time"
)

// A timeline is printed in pages as Feed reads it. What keeps relations begins nothing where
// there are none.
func TestFeedOfATimeline(t *testing.T) {
	t.Parallel()
	const project = "demo-timeline"
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	c := client(t, project)
	for n, id := range []string{"p1", "p2", "p3"} {
		created := at.Add(time.Duration(n) * time.Hour)
		for path, fields := range map[string]map[string]any{
			"posts/" + id: {"userId": "a", "audience": "a", "hidden": false, "createdAt": created},
			"users/b/timeline/" + id: {
				"post": id, "author": "a", "audience": "a", "at": created.UnixMicro(), "posts": []string{id}, "accounts": []string{"a"},
			},
		} {
			if _, err := c.Doc(path).Set(t.Context(), fields); err != nil {
				t.Fatal(err)
			}
		}
	}
	env := []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost, "RELATIONINDEX_TIMELINE=items", "RELATIONINDEX_RELATIONS_OFF=true"}
	line := func(id, hour string) string {
		return `{"postId":"` + id + `","userId":"a","createdAt":"2026-11-23T` + hour + `:00:00Z"}` + "\n"
	}
	for _, source := range [][]string{{"--source", "timeline"}, {}} {
		out := runProgram(t, env, append([]string{"feed", "--as", "b", "--all", "--json", "--limit", "2", "--project", project}, source...)...)
		if out.want(t, exitOK); out.stdout != line("p3", "14")+line("p2", "13")+line("p1", "12") {
			t.Errorf("%v: it printed %s", source, out.stdout)
		}
	}
	for _, command := range []string{"verify", "repair"} {
		runProgram(t, env, command, "--project", project).want(t, exitUsage, "RELATIONINDEX_RELATIONS_OFF=true")
	}
	runProgram(t, env[:1], "feed", "--as", "b", "--source", "timeline", "--project", project).want(t, exitFailed, "no such source")
}

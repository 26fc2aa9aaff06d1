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

// A second run finds everything there.
func TestFillTimelines(t *testing.T) {
	t.Parallel()
	const project = "demo-fill-timelines"
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	c := client(t, project)
	for path, fields := range map[string]map[string]any{
		"posts/p1": {"userId": "a", "audience": "a", "hidden": false, "createdAt": at}, "posts/p2": {"userId": "a", "audience": "a", "hidden": false, "createdAt": at.Add(time.Hour)},
		"users/b/following/a": {"createdAt": at, "indexId": "00001"}, "users/c/following/a": {"createdAt": at, "indexId": "00001"}, "apps/x/following/a": {"createdAt": at},
	} {
		if _, err := c.Doc(path).Set(t.Context(), fields); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost, "RELATIONINDEX_TIMELINE=buckets"}
	runProgram(t, env, "fill-timelines", "--project", project).want(t, exitOK, "filled 2 timelines, which should have 4 posts\n")
	runProgram(t, env, "fill-timelines", "--project", project, "--json", "--posts", "1").want(t, exitOK, `{"readers":2,"posts":2}`)
	for _, reader := range []string{"b", "c"} {
		doc, err := c.Doc("users/" + reader + "/timeline/open").Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if total, err := doc.DataAt("total"); err != nil || total != int64(2) {
			t.Errorf("the total of %s is %v, %v", reader, total, err)
		}
	}
	// These edges have no follower documents and index documents; timelines have what they say.
	runProgram(t, env, "verify-timelines", "--project", project).want(t, exitOK, "checked 2 timelines, 2 documents, 4 entries\nverify-timelines: 0 problems\n")
	if _, err := c.Doc("posts/p1").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	runProgram(t, env, "verify-timelines", "--project", project).want(t, exitFailed, "users/b/timeline/open: p1: the post does not reach the reader", "2 problems")
	runProgram(t, env, "fill-timelines", "--posts", "0").want(t, exitUsage, "1 to 1000")
	runProgram(t, env[:1], "fill-timelines", "--project", project).want(t, exitUsage, "RELATIONINDEX_TIMELINE is not set")
}

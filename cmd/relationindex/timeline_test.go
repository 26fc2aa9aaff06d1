package main

import (
	"testing"
	"time"

	"example.com/relationindex/testkit/program"
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
	env := []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost, "RELATIONINDEX_FEEDS=items"}
	line := func(id, hour string) string {
		return `{"postId":"` + id + `","userId":"a","createdAt":"2026-11-23T` + hour + `:00:00Z"}` + "\n"
	}
	for _, source := range [][]string{{"--source", "timeline"}, {}} {
		out := program.Run(t, env, append([]string{"feed", "--as", "b", "--all", "--json", "--limit", "2", "--project", project}, source...)...)
		if out.Want(t, exitOK); out.Stdout != line("p3", "14")+line("p2", "13")+line("p1", "12") {
			t.Errorf("%v: it printed %s", source, out.Stdout)
		}
	}
	for _, command := range [][]string{{"verify"}, {"repair", "--merge"}} {
		program.Run(t, env, append(command, "--project", project)...).Want(t, exitUsage, "RELATIONINDEX_FEEDS has no relations", "run 'relationindex verify-timelines'")
	}
	program.Run(t, env[:1], "feed", "--as", "b", "--source", "timeline", "--project", project).Want(t, exitFailed, "there are no timelines: RELATIONINDEX_FEEDS has no items, buckets or days")
}

// A second run finds everything there.
func TestRepairTimelines(t *testing.T) {
	t.Parallel()
	const project = "demo-repair-timelines"
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	c := client(t, project)
	write := func(documents map[string]map[string]any) {
		for path, fields := range documents {
			if _, err := c.Doc(path).Set(t.Context(), fields); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(map[string]map[string]any{
		"posts/p1": {"userId": "a", "audience": "a", "hidden": false, "createdAt": at}, "posts/p2": {"userId": "a", "audience": "a", "hidden": false, "createdAt": at.Add(time.Hour)},
	})
	write(map[string]map[string]any{
		"users/b/following/a": {"createdAt": at.Add(2 * time.Hour), "indexId": "00001"}, "users/c/following/a": {"createdAt": at.Add(2 * time.Hour), "indexId": "00001"}, "apps/x/following/a": {"createdAt": at},
	})
	env := []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost, "RELATIONINDEX_FEEDS=relations,buckets", "RELATIONINDEX_NO_OWN_POSTS=true"}
	repair := func(want string, args ...string) {
		t.Helper()
		program.Run(t, env, append([]string{"repair-timelines", "--project", project}, args...)...).Want(t, exitOK, want)
	}
	// The posts are older than the follows.
	repair("repair-timelines: mended 0 problems, brought 0 posts\n")
	repair("repair-timelines: mended 0 problems, brought 2 posts\n", "--posts", "1")
	repair("repair-timelines: mended 0 problems, brought 2 posts\n", "--posts", "5")
	repair(`"problems":0,"posts":0,"unrepaired":0,"left":0}`, "--posts", "5", "--json")
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
	program.Run(t, env, "verify-timelines", "--project", project).Want(t, exitOK, "checked 2 timelines, 2 documents, 4 entries\nverify-timelines: 0 problems\n")
	if _, err := c.Doc("posts/p1").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(map[string]map[string]any{"posts/p3": {"userId": "a", "audience": "a", "hidden": false, "createdAt": at.Add(2 * time.Hour)}})
	program.Run(t, env, "verify-timelines", "--project", project).Want(t, exitFailed, "users/b/timeline/open: p1: the post does not reach the reader", "users/c/timeline: p3: is missing", "4 problems")
	repair("users/c/timeline: p3: is missing\nchecked 2 timelines, 2 documents, 4 entries\nrepair-timelines: mended 4 problems, brought 2 posts\n")
	program.Run(t, env, "verify-timelines", "--project", project).Want(t, exitOK, "4 entries\nverify-timelines: 0 problems\n")
	items := []string{env[0], "RELATIONINDEX_FEEDS=relations,items", env[2]}
	program.Run(t, items, "repair-timelines", "--project", project).Want(t, exitFailed, "brought 0 posts, could not repair 0 timelines, left 2 that these variables do not keep", "run it again with --delete")
	program.Run(t, env, "verify-timelines", "--project", project).Want(t, exitOK, "verify-timelines: 0 problems\n")
	for _, command := range []string{"repair-timelines", "verify-timelines"} {
		program.Run(t, env, command, "--posts", "1001").Want(t, exitUsage, "0 to 1000")
	}
	program.Run(t, env[:1], "repair-timelines", "--project", project).Want(t, exitUsage, "RELATIONINDEX_FEEDS has no items, buckets or days")

	// Of two posts of which nobody has heard, the newest comes. The edge of b is damaged.
	write(map[string]map[string]any{
		"posts/p4": {"userId": "a", "audience": "a", "hidden": false, "createdAt": at.Add(3 * time.Hour)}, "posts/p5": {"userId": "a", "audience": "a", "hidden": false, "createdAt": at.Add(4 * time.Hour)},
	})
	write(map[string]map[string]any{"users/b/following/a": {"createdAt": "x", "indexId": "00001"}}) // after the posts: it counts from now
	program.Run(t, env, "repair-timelines", "--posts", "1", "--project", project).Want(t, exitFailed,
		"users/b/timeline: is not repaired: ", "users/b/following/a: damaged document", "After that, run repair-timelines again\n",
		"repair-timelines: found 2 problems, brought 1 posts, could not repair 1 timelines\n")
	write(map[string]map[string]any{"users/b/following/a": {"createdAt": at, "indexId": "00001"}})
	repair("users/b/timeline: p5: is missing\n", "--posts", "1") // the edge was written again, and made before
	program.Run(t, env, "verify-timelines", "--posts", "1", "--project", project).Want(t, exitOK, "verify-timelines: 0 problems\n")
	program.Run(t, env, "verify-timelines", "--project", project).Want(t, exitFailed, "users/b/timeline: p4: is missing", "users/c/timeline: p4: is missing", "verify-timelines: 2 problems\n")
}

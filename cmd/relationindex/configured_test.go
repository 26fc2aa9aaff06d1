package main

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/configured"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/program"
)

// started stores a configuration, as functions do that start with it.
func started(t *testing.T, c *firestore.Client, cfg schema.Config) {
	t.Helper()
	if _, err := configured.Start(t.Context(), c, cfg, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, c *firestore.Client, documents map[string]map[string]any) {
	t.Helper()
	for path, fields := range documents {
		if _, err := c.Doc(path).Set(t.Context(), fields); err != nil {
			t.Fatal(err)
		}
	}
}

// A careless operator has none of the variables in the shell: the functions' are taken. One that is set to
// something else is no reason to undo their work.
func TestRepairInAShellWithoutVariables(t *testing.T) {
	t.Parallel()
	const project = "demo-configured-repair"
	c := client(t, project)
	write(t, c, map[string]map[string]any{"posts/p1": {"userId": "a", "audience": "a", "hidden": false, "createdAt": firestore.ServerTimestamp}})
	started(t, c, schema.Config{NoOwnPosts: true})
	repair := func(env []string, args ...string) program.Outcome {
		t.Helper()
		return program.Run(t, append(env, "FIRESTORE_EMULATOR_HOST="+running.FirestoreHost), append([]string{"repair", "--project", project}, args...)...)
	}
	kept := func(want bool) {
		t.Helper()
		docs, err := c.GetAll(t.Context(), []*firestore.DocumentRef{c.Doc("_relations/p1_00000")})
		if err != nil || docs[0].Exists() != want {
			t.Errorf("the relation of the own post is there: %v, %v", docs[0].Exists(), err)
		}
	}
	repair(nil).Want(t, exitOK, "before: 0 violations")
	kept(false)
	other := []string{"RELATIONINDEX_NO_OWN_POSTS=false"}
	repair(other).Want(t, exitUsage, "RELATIONINDEX_NO_OWN_POSTS: the functions run with true, here it is the default, false\n",
		"unset these variables in the shell", "--differ RELATIONINDEX_NO_OWN_POSTS\n")
	kept(false)
	repair(other, "--differ", "RELATIONINDEX_NO_OWN_POST").Want(t, exitUsage, "do you mean RELATIONINDEX_NO_OWN_POSTS?")
	file := program.File(t, "other.env", "RELATIONINDEX_NO_OWN_POSTS=false\n")
	repair([]string{"RELATIONINDEX_ENV=" + file}).Want(t, exitUsage, "RELATIONINDEX_NO_OWN_POSTS: the functions run with true")
	repair([]string{"RELATIONINDEX_ENV=" + file, "RELATIONINDEX_NO_OWN_POSTS=true"}).Want(t, exitOK, "before: 0 violations") // the shell wins
	kept(false)
	repair(nil, "--differ", "RELATIONINDEX_NO_OWN_POSTS").Want(t, exitOK, "before: 1 violations", "after: 0 violations")
	kept(true)
	started(t, c, schema.Config{NoOwnPosts: true})
	repair(nil).Want(t, exitOK, "after: 0 violations")
	kept(false)

	// Of another release, or damaged: nothing is known, and nothing is done.
	write(t, c, map[string]map[string]any{"_settings/functions": {"variables": map[string]any{"RELATIONINDEX_NEW": "1"}, "writtenAt": firestore.ServerTimestamp, "database": strings.TrimSuffix(c.Doc("a/b").Path, "/documents/a/b")}})
	repair(nil).Want(t, exitFailed, "another release", "RELATIONINDEX_NEW")
	relationindex(t, "jobs", "list", "--project", project).Want(t, exitOK)
	write(t, c, map[string]map[string]any{"_settings/functions": {"variables": 5}})
	repair(nil).Want(t, exitFailed, "_settings/functions: damaged document", "the next function that starts writes the document again")
	relationindex(t, "jobs", "list", "--project", project).Want(t, exitOK)
	kept(false)
}

// othersOf has, of each variable that decides what is derived, another value than functions have.
var (
	theirs = schema.Config{
		Capacity: 20, FollowersBytes: 2000, CopiedFields: []string{"text"}, AuthorFields: []string{"name=authorName"}, RefFields: []string{"name=refNames"},
		KeepPosts: true, NoOwnPosts: true, Horizon: 10 * time.Hour, PostsFilled: true,
		Feeds: []string{"relations", "items"}, Cap: 100, Expire: 720 * time.Hour, Backfill: 10, KeepOnUnfollow: true, ReaderSettings: true, Idle: 24 * time.Hour, Ranked: true, Counts: true, Notifications: true,
	}
	othersOf = map[string]string{
		"CAPACITY": "30", "TEST_FOLLOWERS_BYTES": "3000", "COPIED_FIELDS": "text,likes", "AUTHOR_FIELDS": "title=authorTitle", "REF_FIELDS": "title=refTitles",
		"KEEP_POSTS": "false", "NO_OWN_POSTS": "false", "HORIZON": "0", "POSTS_FILLED": "false",
		"FEEDS": "days", "BUCKET": "7", "CAP": "200", "EXPIRE": "0", "BACKFILL": "20", "KEEP_ON_UNFOLLOW": "false",
		"SETTINGS": "false", "IDLE": "48h", "RANKED": "false", "COUNTS": "false", "NOTIFICATIONS": "false", "USERS": "people", "POSTS": "notes", "FOLLOWERS": "fans",
	}
)

// plain are the commands that neither derive nor judge.
var plain = []string{"survey", "brake", "export", "jobs list", "jobs show", "jobs wait", "jobs cancel"}

// Each variable that decides what is derived, and each command: the command is refused, and names
// the variable and both values; one that neither derives nor judges only says so. Without the
// variable, each command takes the functions'.
func TestEachCommandComparesEachVariable(t *testing.T) {
	const project = "demo-configured-all"
	t.Setenv("FIRESTORE_EMULATOR_HOST", running.FirestoreHost)
	started(t, client(t, project), theirs)
	run := func(command string) program.Outcome {
		t.Helper()
		return call(t, append(strings.Fields(command), "--project", project)...)
	}
	for command := range targeted(t) {
		isPlain := slices.ContainsFunc(plain, func(p string) bool { return strings.HasPrefix(command, p) })
		if out := run(command); out.Code == exitUsage || strings.Contains(out.Stderr, "note: ") {
			t.Errorf("%s, without variables: %+v", command, out)
		}
		for _, s := range (schema.Config{}).Settings() {
			if s.Stored != config.Decides {
				continue
			}
			other, ok := othersOf[strings.TrimPrefix(s.Variable, "RELATIONINDEX_")]
			if !ok {
				t.Fatalf("no value of %s", s.Variable)
			}
			t.Setenv(s.Variable, other)
			out := run(command)
			t.Setenv(s.Variable, "")
			names := strings.Contains(out.Stderr, s.Variable+": the functions run with ")
			if names == (strings.HasPrefix(command, "horizon") && out.Code != exitUsage) || !isPlain && out.Code != exitUsage || isPlain && out.Code == exitUsage && !strings.Contains(out.Stderr, "note: ") {
				t.Errorf("%s with %s=%s: %+v", command, s.Variable, other, out)
			}
			if strings.Contains(out.Stderr, "secret") {
				t.Errorf("%s with %s shows a secret: %+v", command, s.Variable, out)
			}
		}
	}
}

// Three posts are written while timelines are off. After timelines are on again, commands report the gap
// until one repair of all deliveries.
func TestRepairOfAllDeliveriesClosesGaps(t *testing.T) {
	t.Parallel()
	const project = "demo-configured-gap"
	c := client(t, project)
	on := schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}, CopiedFields: []string{"text"}}
	started(t, c, on)
	write(t, c, map[string]map[string]any{"users/a/followers/r": {"createdAt": firestore.ServerTimestamp}, "users/b/followers/r": {"createdAt": firestore.ServerTimestamp}})
	relationindex(t, "repair", "--project", project).Want(t, exitOK, "after: 0 violations", "repair-timelines: mended 0 problems, brought 0 posts")
	relationindex(t, "verify-timelines", "--project", project).Want(t, exitOK)
	started(t, c, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}})
	posts := map[string]map[string]any{}
	for n := range 3 {
		posts[fmt.Sprintf("posts/p%d", n)] = map[string]any{"userId": "a", "audience": "a", "hidden": false, "createdAt": time.Now(), "text": "x"}
	}
	write(t, c, posts)
	relationindex(t, "repair", "--project", project).Want(t, exitOK, "after: 0 violations\n")
	started(t, c, on)
	const gap = "gap: timelines may lack posts and have others since before "
	for _, command := range []string{"verify", "jobs list", "feed --as r"} {
		relationindex(t, append(strings.Fields(command), "--project", project)...).Want(t, exitOK, gap, "changed: RELATIONINDEX_FEEDS. Run 'relationindex repair --project "+project+"'")
	}
	relationindex(t, "verify-timelines", "--project", project).Want(t, exitFailed, gap)
	// Neither a look, nor a part, nor other variables close it.
	relationindex(t, "repair", "--dry-run", "--project", project).Want(t, exitFailed, gap)
	relationindex(t, "repair", "--author", "a", "--project", project).Want(t, exitOK, gap)
	relationindex(t, "repair", "--differ", "RELATIONINDEX_FEEDS", "--project", project).Want(t, exitOK, gap)
	relationindex(t, "verify-timelines", "--project", project).Want(t, exitFailed, gap)
	relationindex(t, "repair", "--project", project).Want(t, exitOK, "after: 0 violations", "brought 3 posts")
	out := relationindex(t, "verify-timelines", "--project", project)
	if out.Want(t, exitOK, "3 entries\nverify-timelines: 0 problems\n"); said(out) != "" {
		t.Errorf("it says %q", said(out))
	}
	relationindex(t, "verify", "--project", project).Want(t, exitOK)

	// Relations are off, and a follow ends. They come on again with a follower too many.
	started(t, c, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, CopiedFields: []string{"text"}})
	relationindex(t, "repair", "--project", project).Want(t, exitOK, "repair-timelines: mended 0 problems")
	started(t, c, on)
	if _, err := c.Doc("users/a/followers/r").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	relationindex(t, "verify", "--project", project).Want(t, exitFailed, "gap: relations may lack posts")
	relationindex(t, "repair", "--project", project).Want(t, exitOK, "after: 0 violations")
	relationindex(t, "verify", "--project", project).Want(t, exitOK)
	relationindex(t, "verify-timelines", "--project", project).Want(t, exitOK, "0 entries\nverify-timelines: 0 problems\n") // of the unfollowed, none is left
}

package main

import (
	"testing"

	"example.com/relationindex/schema"
)

// A shell without the functions' variable works on no index that ends at a horizon.
func TestHorizon(t *testing.T) {
	const project = "demo-horizon"
	c := client(t, project)
	relationindex(t, "horizon", "--project", project).Want(t, exitOK, "the horizon is all posts\n")
	relationindex(t, "horizon", "0", "--project", project).Want(t, exitOK, "looked at 0 audiences: 0 posts have relations again, 0 have none any more\nthe horizon is all posts\n")
	relationindex(t, "horizon", "5", "--project", project).Want(t, exitUsage, "RELATIONINDEX_HORIZON=5")
	for _, wrong := range []string{"1001", "-1", "many"} {
		relationindex(t, "horizon", "--project", project, "--", wrong).Want(t, exitUsage, "must be 0 to 1000 posts")
	}
	if err := schema.BeginHorizon(t.Context(), c, 7); err != nil {
		t.Fatal(err)
	}
	relationindex(t, "horizon", "--project", project).Want(t, exitOK, "the horizon is 7 posts\n")
	relationindex(t, "horizon", "--project", project, "--json").Want(t, exitOK, `{"feed":7,"kept":7}`)
	for _, args := range [][]string{{"verify"}, {"repair"}, {"fill-posts"}, {"horizon", "0"}} {
		relationindex(t, append(args, "--project", project)...).Want(t, exitFailed, "RELATIONINDEX_HORIZON is not set")
	}
	relationindex(t, "feed", "--as", "ada", "--all", "--project", project).Want(t, exitFailed, "horizon: 7 posts: ")
	t.Setenv("RELATIONINDEX_HORIZON", "7")
	relationindex(t, "horizon", "8", "--project", project).Want(t, exitUsage, "RELATIONINDEX_HORIZON is 7 here")
	relationindex(t, "verify", "--project", project).Want(t, exitOK, "")
	if _, err := schema.HorizonDocument(c).Set(t.Context(), schema.Horizon{Feed: 5, Kept: 9}); err != nil {
		t.Fatal(err)
	}
	relationindex(t, "horizon", "--project", project).Want(t, exitOK, "readers rely on 5 posts, functions keep 9 posts")
	if _, err := schema.HorizonDocument(c).Set(t.Context(), map[string]any{"feed": "5"}); err != nil {
		t.Fatal(err)
	}
	relationindex(t, "horizon", "--project", project).Want(t, exitFailed, "run relationindex horizon POSTS")
}

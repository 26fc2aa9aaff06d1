package main

import (
	"testing"
	"time"
)

// Posts of earlier clients, a dry run, and twice.
func TestFillPosts(t *testing.T) {
	t.Parallel()
	const project = "demo-fill-posts"
	c := client(t, project)
	for path, data := range map[string]map[string]any{
		"posts/p1": {"userId": "ada", "createdAt": time.Now()}, "posts/p2": {"userId": "ada", "audience": "ada", "hidden": false}, "posts/p3": {},
	} {
		if _, err := c.Doc(path).Set(t.Context(), data); err != nil {
			t.Fatal(err)
		}
	}
	out := relationindex(t, "fill-posts", "--project", project, "--dry-run")
	out.Want(t, exitOK, "read 3 posts, would fill 1; 1 have no author and stay as they are\n")
	relationindex(t, "fill-posts", "--project", project).Want(t, exitOK, "read 3 posts, filled 1; 1 have no author and stay as they are\n")
	relationindex(t, "fill-posts", "--project", project, "--json").Want(t, exitOK, `{"posts":3,"filled":0,"bad":1}`)
	post, err := c.Doc("posts/p1").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if audience, _ := post.DataAt("audience"); audience != "ada" {
		t.Errorf("the audience is %v", audience)
	}
	relationindex(t, "fill-posts", "extra").Want(t, exitUsage, "extra")
}

package main

import (
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/testkit/program"
)

func TestRepairInAShellWithoutVariables(t *testing.T) {
	t.Parallel()
	const project = "demo-configured-repair"
	c := client(t, project)
	if _, err := c.Doc("posts/p1").Set(t.Context(), map[string]any{"userId": "a", "audience": "a", "hidden": false, "createdAt": firestore.ServerTimestamp}); err != nil {
		t.Fatal(err)
	}
	env := []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost}
	program.Run(t, append(env, "RELATIONINDEX_OWN_POSTS=true"), "repair", "--project", project).Want(t, exitOK, "after: 0 violations")
	out := program.Run(t, env, "repair", "--project", project)
	if _, err := c.Doc("_relations/p1_00000").Get(t.Context()); err != nil {
		t.Errorf("%v: %+v", err, out)
	}
}

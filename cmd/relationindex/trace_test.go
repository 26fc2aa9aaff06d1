package main

import (
	"testing"
)

func TestTrace(t *testing.T) {
	t.Parallel()
	const project = "demo-trace"
	c := client(t, project)
	for path, data := range map[string]map[string]any{
		"users/ada/followers/bob":       {},
		"users/bob/following/ada":       {"indexId": "00001"},
		"users/ada/followers_index/1":   {"followers": []string{"bob"}},
		"users/eve/followers_index/1":   {"changes": []any{map[string]any{"version": 2, "remove": []string{"bob"}}}},
		"posts/p1":                      {"userId": "ada", "text": "bob was here"}, // what a post says is not ours
		"_relations/p1_1":               {"userId": "ada", "followers": []string{"eve", "bob"}},
		"_functions/index:bob:00001":    {"state": "done"},
		"_functions/post:p1":            {"state": "failed", "error": map[string]any{"message": "read users/bob"}},
		"_functions/purge:hash-of-carl": {"state": "done"},
	} {
		if _, err := c.Doc(path).Set(t.Context(), data); err != nil {
			t.Fatal(err)
		}
	}
	out := relationindex(t, "trace", "bob", "--project", project)
	out.Want(t, exitFailed,
		"users/ada/followers/bob: path\n", "users/bob/following/ada: path\n",
		"users/ada/followers_index/1: followers\n", "users/eve/followers_index/1: changes\n",
		"_relations/p1_1: followers\n", "_functions/index:bob:00001: path\n", "_functions/post:p1: error\n",
		"trace: \"bob\" is named in 7 places\n")
	out = relationindex(t, "trace", "bob", "--project", project, "--json")
	out.Want(t, exitFailed, `{"document":"users/ada/followers/bob","where":"path"}`, `{"traces":7}`)
	out = relationindex(t, "trace", "carl", "--project", project)
	out.Want(t, exitOK, "trace: \"carl\" is named in 0 places\n")
	out = relationindex(t, "trace", "a/b", "--project", project)
	out.Want(t, exitUsage, "contains a slash")
}

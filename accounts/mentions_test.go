package accounts

import (
	"testing"

	"example.com/relationindex/schema"
)

// An account's id may equal the name of one of our collections. A path in the text of another's
// job does not mention it.
func TestTextMentionsOnlyExactAccountID(t *testing.T) {
	t.Parallel()
	const full = "projects/p/databases/(default)/documents/"
	o := schema.Config{}.WithDefaults()
	for _, c := range []struct {
		text, u string
		want    bool
	}{
		{"users/ada/followers_index/00001 is full", "ada", true},
		{"users/adam/followers_index/00001 is full", "ada", false},
		{"job index:ada:00001: it holds \"ada\"", "ada", true},
		{"members of users: aborted", "users", true},
		{"users/ada/followers_index/00001 is full", "users", false},
		{full + "users/ada/followers_index/00001: damaged", "users", false},
		{full + "users/ada/followers_index/00001: damaged", "documents", false},
		{full + "users/users/followers_index/00001: damaged", "users", true},
		{full + "users/documents/followers_index/00001: damaged", "documents", true},
		{"users/users/followers/bob", "users", true},
		{"users/users/followers/bob", "followers", false},
		{"users/followers/followers/bob", "followers", true},
		{"users/ada/followers/users is missing", "users", true},
		{"users/ada/followers/users/", "users", false},
		{"users/ada/following/followers", "followers", true},
		{"users/ada/following/followers", "following", false},
		{"posts/p1: no author", "posts", false},
		{"users/posts: not found", "posts", true},
		{"_relations/p_00001 and users/posts", "posts", true},
		{"_relations/p_00001 is refused", "_relations", false},
	} {
		if got := mentions(o, c.text, c.u); got != c.want {
			t.Errorf("%q mentions %q: %t", c.text, c.u, got)
		}
	}
}

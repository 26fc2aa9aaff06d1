package rulestext

import (
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
)

// A sign that the rules were forgotten, and no proof that they were not.
func TestCheckRules(t *testing.T) {
	rules, err := os.ReadFile("../../firestore.rules")
	if err != nil {
		t.Fatal(err)
	}
	f := schema.Config{Users: "people", Posts: "notes", Followers: "fans"}
	const lacksNotes, namesPosts = `RELATIONINDEX_POSTS="notes": firestore.rules has no match /notes/{`, `RELATIONINDEX_POSTS="notes": firestore.rules still names /posts/`
	const namesUsers = `RELATIONINDEX_USERS="people": firestore.rules still names /users/`
	good := strings.NewReplacer("/users/", "/people/", "/posts/", "/notes/", "/followers/", "/fans/").Replace(string(rules))
	for name, tt := range map[string]struct {
		rules string
		want  []string // the errors, by how they begin
	}{
		"all are renamed":           {good, nil},
		"a path over two":           {"match /people/{u}/fans/{f} {} match  /databases/{d}/documents/notes/{n} {}", nil},
		"none is":                   {string(rules), []string{`RELATIONINDEX_USERS="people": firestore.rules has no match /people/{`, namesUsers, lacksNotes, namesPosts, `RELATIONINDEX_FOLLOWERS="fans": firestore.rules has no match /fans/{`, `RELATIONINDEX_FOLLOWERS="fans": firestore.rules still names /followers/`}},
		"only in a comment":         {strings.Replace(good, "match /notes/{postId}", "match /memos/{postId} // match /notes/{postId}\n/* match /notes/\n*/", 1), []string{lacksNotes}},
		"only in another path":      {strings.Replace(good, "match /notes/{postId}", "match /memos/{postId} { allow read: if exists(/x/notes/y) }", 1), []string{lacksNotes}},
		"the old name in a comment": {good + "// match /posts/{id}\n/* exists(/databases/$(d)/documents/users/x) */", nil},
		"the old name is matched":   {good + "match /posts/{id} {}", []string{namesPosts}},
		"exists() has the old name": {strings.Replace(good, "/people/$(userId)/blocked", "/users/$(userId)/blocked", 1), []string{namesUsers}},
		"get() has the old name":    {good + "get(/databases/a/documents/users/x)", []string{namesUsers}},
		"a path below another":      {good + "get(/databases/a/documents/other/$(uid)/users/$(uid))", []string{namesUsers}},
	} {
		got := config.Each(Check(f, []byte(tt.rules)))
		if !slices.EqualFunc(got, tt.want, func(err error, want string) bool { return strings.HasPrefix(err.Error(), want) }) {
			t.Errorf("%s: %v, want %q", name, got, tt.want)
		}
	}
	if err := Check((schema.Config{}), nil); err != nil {
		t.Errorf("without a name: %v", err)
	}
}

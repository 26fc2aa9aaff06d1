package config

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestDatabaseIDs(t *testing.T) {
	for id, good := range map[string]bool{
		"": true, "blue": true, "b-1-2": true, strings.Repeat("b", 63): true, "abcdef01-2345-6789-abcd-ef0123456789x": true,
		"(default)": false, "default": false, "defaults": true, "blu": false, strings.Repeat("b", 64): false, "Blue": false, "1blue": false, "-blue": false, "blue-": false,
		"blue_2": false, "blue/2": false, "blü-e": false, "abcdef01-2345-6789-abcd-ef0123456789": false,
	} {
		err := Functions{Project: "demo-a", Database: id}.Validate()
		if good != (err == nil) || err != nil && !strings.Contains(err.Error(), "RELATIONINDEX_DATABASE=") {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// A sign that the rules were forgotten, and no proof that they were not.
func TestCheckRules(t *testing.T) {
	rules, err := os.ReadFile("../../firestore.rules")
	if err != nil {
		t.Fatal(err)
	}
	f := Functions{Users: "people", Posts: "notes", Followers: "fans"}
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
		got := Each(f.CheckRules([]byte(tt.rules)))
		if !slices.EqualFunc(got, tt.want, func(err error, want string) bool { return strings.HasPrefix(err.Error(), want) }) {
			t.Errorf("%s: %v, want %q", name, got, tt.want)
		}
	}
	if err := (Functions{}).CheckRules(nil); err != nil {
		t.Errorf("without a name: %v", err)
	}
}

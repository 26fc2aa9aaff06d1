package config

import (
	"bytes"
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func rootFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var renamed = Functions{Prefix: "blue_", Posts: "notes", Followers: "fans"}

// changed are the lines of after that are not those of before, trimmed.
func changed(t *testing.T, before, after []byte) (lines []string) {
	t.Helper()
	old := strings.Split(string(before), "\n")
	for i, line := range strings.Split(string(after), "\n") {
		if i >= len(old) {
			t.Fatalf("there are more than %d lines", len(old))
		}
		if line != old[i] {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// Rendering changes the paths and leaves all else, such as the field followers_index, the comments, the rules for one's own.
func TestRulesHaveTheConfiguredNames(t *testing.T) {
	file := rootFile(t, "firestore.rules")
	got, err := renamed.Rules(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"match /blue_users/{userId} {",
		"match /fans/{followerId} {",
		"&& !exists(/databases/$(database)/documents/blue_users/$(userId)/blocked/$(followerId));",
		"match /blue_notes/{postId} {",
		"// exists(/databases/$(database)/documents/blue_users/$(resource.data.userId)/fans/$(request.auth.uid));",
		"match /blue__relations/{relationId} {",
		"match /blue__functions/{jobId} {",
	}
	if diff := gocmp.Diff(want, changed(t, file, got)); diff != "" {
		t.Errorf("lines that rendering changed (-want +got):\n%s", diff)
	}
}

func TestIndexesHaveTheConfiguredNames(t *testing.T) {
	file := rootFile(t, "firestore.indexes.json")
	got, err := renamed.Indexes(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"_relations": 0, "blue__relations": 8, "posts": 0, "blue_notes": 1, "users": 0, "blue_users": 2, "blue__functions": 10, "followers_index": 6, "following": 2} {
		if n := bytes.Count(got, []byte(`"collectionGroup": "`+name+`"`)); n != want {
			t.Errorf("%s is there %d times, want %d", name, n, want)
		}
	}
	if !bytes.Contains(got, []byte(`"collectionGroup": "blue_users", "fieldPath": "followers_index"`)) {
		t.Error("the field followers_index of users has another name")
	}
}

// What is rendered stays when it is rendered again, and so does a file for several copies.
func TestWhatIsRenderedStays(t *testing.T) {
	for name, f := range map[string]Functions{"defaults": {}, "prefix": {Prefix: "blue_"}, "all": renamed} {
		for file, render := range map[string]func(Functions, []byte) ([]byte, error){"firestore.rules": Functions.Rules, "firestore.indexes.json": Functions.Indexes} {
			original := rootFile(t, file)
			once, err := render(f, original)
			if err != nil {
				t.Fatal(err)
			}
			if name == "defaults" && !bytes.Equal(once, original) {
				t.Errorf("%s: default names change it", file)
			}
			both, err := map[string]func(...[]byte) ([]byte, error){"firestore.rules": MergeRules, "firestore.indexes.json": MergeIndexes}[file](original, once)
			if err != nil {
				t.Fatal(err)
			}
			for what, text := range map[string][]byte{"rendered": once, "for two copies": both} {
				again, err := render(f, text)
				if err != nil || !bytes.Equal(again, text) {
					t.Errorf("%s, %s, %s: rendered again it is another: %v", file, name, what, err)
				}
			}
			if err := f.CheckIndexes(both); file == "firestore.indexes.json" && err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestMergedRulesHaveEachBlockOnce(t *testing.T) {
	file := rootFile(t, "firestore.rules")
	blue, err := Functions{Prefix: "blue_"}.Rules(file)
	if err != nil {
		t.Fatal(err)
	}
	both, err := MergeRules(file, blue, file)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		"rules_version": 1, "service cloud.firestore": 1, "match /databases/{database}/documents {": 2,
		"match /users/{userId} {": 1, "match /blue_users/{userId} {": 1, "match /_relations/": 1, "match /blue__relations/": 1,
	} {
		if n := bytes.Count(both, []byte(text)); n != want {
			t.Errorf("%q is there %d times, want %d", text, n, want)
		}
	}
	if alone, err := MergeRules(file); err != nil || len(alone) != len(file) {
		t.Errorf("one file alone has %d bytes and becomes %d: %v", len(file), len(alone), err)
	}
}

// Rules that are not as expected are refused, with the line or the collection: half rendered they would open or close
// what nobody expects.
func TestRulesThatAreNotUnderstoodAreRefused(t *testing.T) {
	file := string(rootFile(t, "firestore.rules"))
	for name, test := range map[string]struct{ old, new, want string }{
		"no users":             {"match /users/", "match /people/", "no match for the collection blue_users or users, which is at the top"},
		"no followers":         {"match /followers/", "match /groups/", "no match for the collection fans or followers, which is below users"},
		"no jobs":              {"match /_functions/{jobId}", "match /other/{jobId}", "blue__functions or _functions"},
		"a brace too few":      {"// The app's own collections go here.\n  }", "", "a brace is not closed"},
		"a brace too many":     {"// The app's own collections go here.", "} }", "line"},
		"no service":           {"service cloud.firestore", "service firebase.storage", "one service"},
		"no version":           {"rules_version = '2';", "", "one rules_version"},
		"comment not closed":   {"// The app's own collections go here.", "/* x", "a comment is not closed"},
		"string not closed":    {"['createdAt']", "['createdAt]", "a string is not closed"},
		"outside the database": {"match /databases/{database}/documents {", "match /users/{userId} {", "line 11: match /users/{userId}: must be below"},
		"at any depth":         {"// The app's own collections go here.", "match /{path=**}/followers/{f} { allow read; }", "cannot tell whether followers is"},
		"a path that is made":  {"fits(userId)\n", "exists(path('users/' + userId))\n", "a document is read by a path that does not begin with"},
		"a relative path":      {"!exists(/databases/$(database)/documents/users/", "!exists(/users/", "a document is read by a path"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(file, test.old, test.new, 1)
			if text == file {
				t.Fatal("the change changes nothing")
			}
			got, err := renamed.Rules([]byte(text))
			if err == nil || !strings.Contains(err.Error(), test.want) || got != nil {
				t.Errorf("%v and %d bytes, want %q in it and none", err, len(got), test.want)
			}
		})
	}
}

// An app's own rules may use the same words.
func TestRulesOfTheAppStay(t *testing.T) {
	const app = `match /groups/{g}/posts/{p} {
      // users/{u} and match /users/{x} { in words
      allow read: if resource.data.get('posts', '/users/x') == "match /posts/{p} {"
        && get(/databases/$(database)/documents/users/$(g)/groups/$(g)).data.users == 'users'
        && exists(/databases/$(db)/documents/groups/$(g)/users/$(request.auth.uid));
    }
    match /teams/{t} { match /followers/{f} { allow read; } }
    match /databases { } `
	file := bytes.Replace(rootFile(t, "firestore.rules"), []byte("// The app's own collections go here."), []byte(strings.Replace(app, "match /databases { }", "", 1)), 1)
	got, err := renamed.Rules(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := changed(t, file, got)
	want := "&& get(/databases/$(database)/documents/blue_users/$(g)/groups/$(g)).data.users == 'users'"
	if len(lines) != 8 || lines[7] != want {
		t.Errorf("changed are %q, want 8 and the last %q", lines, want)
	}
}

func TestNamesThatMixCollectionsUp(t *testing.T) {
	for want, f := range map[string]Functions{
		`RELATIONINDEX_PREFIX="7_": must be letters`:                                   {Prefix: "7_"},
		`RELATIONINDEX_PREFIX="a/b": must be letters`:                                  {Prefix: "a/b"},
		`RELATIONINDEX_POSTS="my posts": must be a name of its own: letters`:           {Posts: "my posts"},
		`RELATIONINDEX_JOBS="jobs__": must not be __ at both ends, as __jobs__ is`:     {Prefix: "__", Jobs: "jobs__"},
		`RELATIONINDEX_POSTS="users": must be a name of its own: users is that of`:     {Posts: "users"},
		`RELATIONINDEX_BLOCKED="people": must be a name of its own: people is that of`: {Users: "people", Blocked: "people"},
		`RELATIONINDEX_USERS="posts": must be a name of its own: posts is that of`:     {Users: "posts", Posts: "notes"},
		`RELATIONINDEX_FOLLOWERS="blue_users": must be a name of its own`:              {Prefix: "blue_", Followers: "blue_users"},
	} {
		f.Project = "demo-a"
		if err := f.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q in it", f, err, want)
		}
	}
	if err := (Functions{Project: "demo-a", Prefix: "blue_", Posts: "notes", Following: "follows"}).Validate(); err != nil {
		t.Error(err)
	}
}

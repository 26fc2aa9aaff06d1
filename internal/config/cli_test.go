package config

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/relationindex/schema"
)

// A child with the variables of Environ loads the same configuration, whatever this process has set.
func TestEnvironLoadsSameConfiguration(t *testing.T) {
	tests := map[string]schema.Config{
		"defaults": {Project: "demo-a"},
		"everything": {
			Project: "demo-a", Database: "blue", EmulatorHost: "127.0.0.1:8080", AuthEmulatorHost: "127.0.0.1:9099", Capacity: 3, FollowersBytes: 2000,
			CopiedFields: []string{"text", "likes"}, InlineLimit: 7, Chunk: 11, Parallel: 2, Users: "u", Followers: "f",
			Posts: "p", LogLevel: slog.LevelDebug,
			AuthorFields: []string{"displayName=authorName"}, RefFields: []string{"displayName=refNames"}, KeepPosts: true, Lease: 90 * time.Second, Step: time.Minute,
		},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			unset(t)
			t.Setenv("RELATIONINDEX_CAPACITY", "77")
			t.Setenv("RELATIONINDEX_POSTS", "others")
			t.Setenv("FUNCTION_TARGET", "OnPostWritten")
			environ := Environ(want)
			unset(t)
			for _, entry := range environ {
				name, value, _ := strings.Cut(entry, "=")
				t.Setenv(name, value)
			}
			if target, ok := os.LookupEnv("FUNCTION_TARGET"); ok {
				t.Errorf("FUNCTION_TARGET=%s", target)
			}
			got, err := LoadFunctions(renamed(renamed(deployedIndexes(t), "users", want.Collections().Users), "posts", want.Collections().Posts))
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestVariablesLeaveDefaultsOut(t *testing.T) {
	f := schema.Config{Project: "demo-a", EmulatorHost: "127.0.0.1:8080", Capacity: 3}
	want := []string{"GOOGLE_CLOUD_PROJECT=demo-a", "FIRESTORE_EMULATOR_HOST=127.0.0.1:8080", "RELATIONINDEX_CAPACITY=3"}
	if diff := gocmp.Diff(want, Variables(f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLoadCLI(t *testing.T) {
	unset(t)
	if f, err := LoadCLI(); err != nil || f.Project != "" {
		t.Errorf("LoadCLI without variables: %+v, %v", f, err)
	}
	t.Setenv("RELATIONINDEX_CAPACITY", "10001")
	if _, err := LoadCLI(); err == nil || !strings.Contains(err.Error(), "RELATIONINDEX_CAPACITY=10001: must be 1 to 10,000 follower ids") {
		t.Errorf("LoadCLI with a capacity of 10001: %v", err)
	}
}

func TestValidateNamesTheVariable(t *testing.T) {
	for want, f := range map[string]schema.Config{
		`FIREBASE_AUTH_EMULATOR_HOST="x": must be host:port`:                             {EmulatorHost: "127.0.0.1:8080", AuthEmulatorHost: "x"},
		`FIREBASE_AUTH_EMULATOR_HOST="127.0.0.1:9099": requires FIRESTORE_EMULATOR_HOST`: {AuthEmulatorHost: "127.0.0.1:9099"},
		`RELATIONINDEX_AUTHOR_FIELDS="name": "name": must be user=post`:                  {AuthorFields: []string{"name"}},
		`RELATIONINDEX_AUTHOR_FIELDS="name=userId": "name=userId"`:                       {AuthorFields: []string{"name=userId"}},
		`RELATIONINDEX_AUTHOR_FIELDS="followers_index=x"`:                                {AuthorFields: []string{"followers_index=x"}},
		`RELATIONINDEX_AUTHOR_FIELDS="a=x,b=x": contains "x" twice`:                      {AuthorFields: []string{"a=x", "b=x"}},
		`RELATIONINDEX_REF_FIELDS="name=refs": "name=refs"`:                              {RefFields: []string{"name=refs"}},
		`RELATIONINDEX_REF_FIELDS="a=x": "x" is a field of RELATIONINDEX_AUTHOR_FIELDS`:  {AuthorFields: []string{"b=x"}, RefFields: []string{"a=x"}},
		`RELATIONINDEX_COPIED_FIELDS="text,,likes": item 2 is empty`:                     {CopiedFields: []string{"text", "", "likes"}},
		`RELATIONINDEX_COPIED_FIELDS="text,text": contains "text" twice`:                 {CopiedFields: []string{"text", "text"}},
		`RELATIONINDEX_COPIED_FIELDS="postId": "postId": must be fields of the post`:     {CopiedFields: []string{"postId"}},
		`RELATIONINDEX_LOG_LEVEL="INFO+2": must be DEBUG, INFO, WARN or ERROR`:           {LogLevel: 2},
	} {
		f.Project = "demo-a"
		if err := f.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q in it", f, err, want)
		}
	}
}

// renamed is a firestore.indexes.json with another name of a collection.
func renamed(indexes []byte, from, to string) []byte {
	return bytes.ReplaceAll(indexes, []byte(`"collectionGroup": "`+from+`"`), []byte(`"collectionGroup": "`+to+`"`))
}

// unset removes every variable of a configuration until the test ends.
func unset(t *testing.T) {
	t.Helper()
	for _, name := range append(variables(), "FUNCTION_TARGET", "K_SERVICE") {
		t.Setenv(name, "") // to have it restored
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
}

func variables() []string {
	var names []string
	for _, s := range (schema.Config{}).Settings() {
		names = append(names, s.Variable)
	}
	return names
}

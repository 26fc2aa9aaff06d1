package envfile

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/config"
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
			got, err := config.LoadFunctions(renamed(renamed(deployedIndexes(t), "users", want.Collections().Users), "posts", want.Collections().Posts))
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

func TestLoad(t *testing.T) {
	unset(t)
	if f, err := Load(); err != nil || f.Project != "" {
		t.Errorf("Load without variables: %+v, %v", f, err)
	}
	t.Setenv("RELATIONINDEX_CAPACITY", "10001")
	if _, err := Load(); err == nil || !strings.Contains(err.Error(), "RELATIONINDEX_CAPACITY=10001: must be 1 to 10,000 follower ids") {
		t.Errorf("Load with a capacity of 10001: %v", err)
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

// deployedIndexes is the project's firestore.indexes.json.
func deployedIndexes(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("../../firestore.indexes.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

package config

import (
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// A child that gets Environ loads the same Functions, whatever this process has set.
func TestEnvironLoadsAgain(t *testing.T) {
	tests := map[string]Functions{
		"defaults": {Project: "demo-a"},
		"everything": {
			Project: "demo-a", EmulatorHost: "127.0.0.1:8080", AuthEmulatorHost: "127.0.0.1:9099", Capacity: 3, FollowersBytes: 2000,
			CopiedFields: []string{"text", "likes"}, InlineLimit: 7, Chunk: 11, Parallel: 2, Users: "u", Followers: "f",
			FollowersIndex: "fi", Following: "fg", Posts: "p", Relations: "r", Blocked: "b", Jobs: "j", Prefix: "blue_", LogLevel: slog.LevelDebug,
			AuthorFields: []string{"displayName=authorName"}, KeepPosts: true, Lease: 90 * time.Second, Step: time.Minute,
		},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			unset(t)
			t.Setenv("RELATIONINDEX_CAPACITY", "77")
			t.Setenv("RELATIONINDEX_POSTS", "others")
			t.Setenv("FUNCTION_TARGET", "OnPostWritten")
			environ := want.Environ()
			unset(t)
			for _, entry := range environ {
				name, value, _ := strings.Cut(entry, "=")
				t.Setenv(name, value)
			}
			if target, ok := os.LookupEnv("FUNCTION_TARGET"); ok {
				t.Errorf("FUNCTION_TARGET=%s", target)
			}
			got, err := LoadFunctions(t.Context(), deployedIndexes(t))
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
	f := Functions{Project: "demo-a", EmulatorHost: "127.0.0.1:8080", Capacity: 3}
	want := []string{"GOOGLE_CLOUD_PROJECT=demo-a", "FIRESTORE_EMULATOR_HOST=127.0.0.1:8080", "RELATIONINDEX_CAPACITY=3"}
	if diff := gocmp.Diff(want, f.Variables()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLoadCLI(t *testing.T) {
	unset(t)
	if f, err := LoadCLI(t.Context()); err != nil || f.Project != "" {
		t.Errorf("LoadCLI without variables: %+v, %v", f, err)
	}
	t.Setenv("RELATIONINDEX_CAPACITY", "10001")
	if _, err := LoadCLI(t.Context()); err == nil || !strings.Contains(err.Error(), "capacity 10001") {
		t.Errorf("LoadCLI with a capacity of 10001: %v", err)
	}
}

func TestValidateNamesTheVariable(t *testing.T) {
	for want, f := range map[string]Functions{
		`FIREBASE_AUTH_EMULATOR_HOST="x": must be host:port`:                              {EmulatorHost: "127.0.0.1:8080", AuthEmulatorHost: "x"},
		`FIREBASE_AUTH_EMULATOR_HOST="127.0.0.1:9099": only with FIRESTORE_EMULATOR_HOST`: {AuthEmulatorHost: "127.0.0.1:9099"},
		"RELATIONINDEX_LEASE=500ms":                                                       {Lease: 500 * time.Millisecond},
		"RELATIONINDEX_LEASE=2h0m0s":                                                      {Lease: 2 * time.Hour},
		"RELATIONINDEX_STEP=-1s":                                                          {Step: -time.Second},
		"RELATIONINDEX_STEP=9m0s":                                                         {Step: 9 * time.Minute},
		"RELATIONINDEX_CHUNK=-1":                                                          {Chunk: -1},
		`author field "name"=""`:                                                          {AuthorFields: []string{"name"}},
		`author field "name"="userId"`:                                                    {AuthorFields: []string{"name=userId"}},
		`author field "followers_index"=`:                                                 {AuthorFields: []string{"followers_index=x"}},
		`author field "b"="x"`:                                                            {AuthorFields: []string{"a=x", "b=x"}},
	} {
		f.Project = "demo-a"
		if err := f.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q in it", f, err, want)
		}
	}
}

// unset removes every variable of Functions until the test ends.
func unset(t *testing.T) {
	t.Helper()
	for _, name := range append(names(), "FUNCTION_TARGET", "K_SERVICE") {
		t.Setenv(name, "") // to have it restored
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
}

func names() []string {
	var names []string
	for _, v := range (Functions{}).variables() {
		names = append(names, v.name)
	}
	return names
}

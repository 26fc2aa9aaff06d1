package envfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
)

func TestParseFile(t *testing.T) {
	got, err := ParseFile("f", []byte("# of all\n\n RELATIONINDEX_CAPACITY = 500 \r\nRELATIONINDEX_COPIED_FIELDS=text, likes\nRELATIONINDEX_CAP=\nRELATIONINDEX_DATABASE=blue\nRELATIONINDEX_AUTHOR_FIELDS=name=authorName"))
	want := config.Environment{"RELATIONINDEX_CAPACITY": "500", "RELATIONINDEX_COPIED_FIELDS": "text, likes", "RELATIONINDEX_CAP": "", "RELATIONINDEX_DATABASE": "blue", "RELATIONINDEX_AUTHOR_FIELDS": "name=authorName"}
	if diff := gocmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	const secret = "the-secret-key-of-tombstones"
	for text, want := range map[string]string{
		"RELATIONINDEX_CAPASITY=5":                      `f:1: "RELATIONINDEX_CAPASITY": no such variable (do you mean RELATIONINDEX_CAPACITY?)`,
		"\nPATH=/bin":                                   `f:2: "PATH": no such variable`,
		"CAPACITY=5":                                    `f:1: "CAPACITY": no such variable`,
		"RELATIONINDEX_TOMBSTONE_KEY=" + secret:         "is a secret: keep it in Secret Manager",
		"GOOGLE_CLOUD_PROJECT=p":                        "says which system is meant",
		"FIRESTORE_EMULATOR_HOST=h:1":                   "says which system is meant",
		"RELATIONINDEX_DEPLOYED=2026-11-25T10:00:00Z":   "says which system is meant",
		"RELATIONINDEX_CAPACITY":                        "must be NAME=value",
		"export RELATIONINDEX_CAPACITY=5":               "must be NAME=value",
		"RELATIONINDEX_CAP=1\nRELATIONINDEX_CAP=2":      "f:2: RELATIONINDEX_CAP is set twice",
		`RELATIONINDEX_USERS="t"`:                       "remove quotes",
		"RELATIONINDEX_CAP=$N":                          "remove quotes, $",
		"RELATIONINDEX_CAP=5 # of it":                   "any comment after the value",
		strings.Repeat("#\n", maxEnvFile):               "more than 64 KiB",
		"\x00\xff=" + strings.Repeat("x", maxEnvFile-9): "no such variable",
	} {
		_, err := ParseFile("f", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) || len(err.Error()) > 500 {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add([]byte("RELATIONINDEX_CAP=5\n# x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		env, err := ParseFile("f", text)
		for name := range env {
			if err == nil && mayBeInFile(name) != "" {
				t.Errorf("it took %q", name)
			}
		}
	})
}

// The shell wins, also with nothing; a file that is named has to be there.
func TestShellVariablesOverrideFile(t *testing.T) {
	unset(t)
	t.Setenv(config.FileVariable, "")
	if err := os.Unsetenv(config.FileVariable); err != nil {
		t.Fatal(err)
	}
	indexes := deployedIndexes(t)
	t.Chdir(t.TempDir())
	load := func(want schema.Config) {
		t.Helper()
		got, err := Load()
		if diff := gocmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	load(schema.Config{})
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(EnvFile, "RELATIONINDEX_CAPACITY=500\nRELATIONINDEX_ACCOUNT_HOUR=7\nRELATIONINDEX_FEED_RATE=8\n")
	t.Setenv("RELATIONINDEX_ACCOUNT_HOUR", "9")
	t.Setenv("RELATIONINDEX_FEED_RATE", "")
	load(schema.Config{Capacity: 500, AccountHour: 9})
	if f, err := config.LoadFunctions(indexes); f.Capacity != 0 {
		t.Errorf("functions read the file: %+v, %v", f, err)
	}
	other := filepath.Join(t.TempDir(), "blue.env")
	write(other, "RELATIONINDEX_DATABASE=blue")
	t.Setenv(config.FileVariable, other)
	load(schema.Config{Database: "blue", AccountHour: 9})
	t.Setenv(config.FileVariable, "")
	load(schema.Config{AccountHour: 9})
	t.Setenv(config.FileVariable, "no-such-file")
	if _, err := Load(); err == nil || !strings.Contains(err.Error(), "RELATIONINDEX_ENV: open no-such-file") {
		t.Errorf("a file that is not there: %v", err)
	}
}

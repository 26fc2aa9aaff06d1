package schema_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/relationindex/schema"
)

// The cases are those of web/tests/unit/name-key.test.ts.
func TestNameKey(t *testing.T) {
	text, err := os.ReadFile("testdata/namekeys.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]string
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 20 {
		t.Fatalf("there are %d cases", len(cases))
	}
	for name, want := range cases {
		if got := schema.NameKey(name); got != want {
			t.Errorf("the key of %q is %q (%+q), want %q (%+q)", name, got, got, want, want)
		}
	}
	if got := utf8.RuneCountInString(schema.NameKey(strings.Repeat("ﷺ", 50))); got != 100 {
		t.Errorf("the longest key has %d characters", got)
	}
}

func TestNameKeyOfAKeyIsItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := schema.NameKey(rapid.String().Draw(t, "name"))
		if again := schema.NameKey(key); again != key && utf8.RuneCountInString(key) < 100 {
			t.Errorf("the key of %+q is %+q", key, again)
		}
	})
}

package schema_test

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/relationindex/schema"
)

// web/tests/unit/name-key.test.ts reads the same table, and the tests of the rules try its names.
func TestNameKey(t *testing.T) {
	text, err := os.ReadFile("testdata/names.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases struct{ Right, Keys map[string]string }
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases.Right) < 50 || len(cases.Keys) == 0 {
		t.Fatalf("there are %d names and %d keys", len(cases.Right), len(cases.Keys))
	}
	maps.Copy(cases.Right, cases.Keys)
	for name, want := range cases.Right {
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

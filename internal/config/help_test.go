package config

import (
	"bytes"
	"os"
	"testing"

	"example.com/relationindex/schema"
)

// renamed is a firestore.indexes.json with another name of a collection.
func renamed(indexes []byte, from, to string) []byte {
	return bytes.ReplaceAll(indexes, []byte(`"collectionGroup": "`+from+`"`), []byte(`"collectionGroup": "`+to+`"`))
}

// unset removes every variable of a configuration until the test ends.
func unset(t *testing.T) {
	t.Helper()
	names := []string{"FUNCTION_TARGET", "K_SERVICE"}
	for _, s := range (schema.Config{}).Settings() {
		names = append(names, s.Variable)
	}
	for _, name := range names {
		t.Setenv(name, "") // to have it restored
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
}

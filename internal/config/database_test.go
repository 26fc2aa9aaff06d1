package config

import (
	"strings"
	"testing"
)

func TestDatabaseIDs(t *testing.T) {
	for id, good := range map[string]bool{
		"": true, "blue": true, "b-1-2": true, strings.Repeat("b", 63): true, "abcdef01-2345-6789-abcd-ef0123456789x": true,
		"(default)": false, "blu": false, strings.Repeat("b", 64): false, "Blue": false, "1blue": false, "-blue": false, "blue-": false,
		"blue_2": false, "blue/2": false, "blü-e": false, "abcdef01-2345-6789-abcd-ef0123456789": false,
	} {
		err := Functions{Project: "demo-a", Database: id}.Validate()
		if good && err != nil {
			t.Errorf("%q is refused: %v", id, err)
		}
		if !good && (err == nil || !strings.Contains(err.Error(), "RELATIONINDEX_DATABASE=")) {
			t.Errorf("%q: %v, want RELATIONINDEX_DATABASE in it", id, err)
		}
	}
}

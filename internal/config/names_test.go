package config

import (
	"os"
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
	f := Functions{Posts: "notes", Followers: "fans"}
	wrong := Each(f.CheckRules(rules))
	if len(wrong) != 2 || !strings.Contains(wrong[0].Error(), `RELATIONINDEX_POSTS="notes": firestore.rules has no match /notes/{`) || !strings.Contains(wrong[1].Error(), "/fans/{") {
		t.Errorf("it says %v", wrong)
	}
	changed := strings.NewReplacer("match /posts/{", "match /notes/{", "match /followers/{", "match /fans/{").Replace(string(rules))
	if err := f.CheckRules([]byte(changed)); err != nil {
		t.Error(err)
	}
	if err := (Functions{}).CheckRules(nil); err != nil {
		t.Errorf("without a name: %v", err)
	}
}

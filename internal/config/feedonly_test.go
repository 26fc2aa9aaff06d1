package config

import (
	"bytes"
	"os"
	"regexp"
	"testing"
)

const feedOnlyFile = "../../firestore.feed-only.rules"

// In what firestore.feed-only.rules differs from firestore.rules: what it says of itself, and that no client reads
// relations.
var feedOnlyParts = []struct {
	ours     *regexp.Regexp
	feedOnly string
}{
	{regexp.MustCompile(`// What a client may do\. `), `// What a client may do when followers must not see each other. The same as firestore.rules, except that no client reads
// _relations: go generate ./internal/config makes it. relationindex deploy --rules feed-only deploys this one.
//
// `},
	{regexp.MustCompile(`    match /_relations/\{relationId\} \{\n(      .*\n|\n)*    \}\n`), `    match /_relations/{relationId} {
      // Clients read feeds only through Feed, which leaves out followers: a relation shows the author's other followers.
      // Only functions read and write.
      allow read, write: if false;
    }
`},
}

// feedOnly returns firestore.feed-only.rules as it follows from firestore.rules.
func feedOnly(t *testing.T, rules []byte) []byte {
	t.Helper()
	for _, part := range feedOnlyParts {
		if n := len(part.ours.FindAll(rules, -1)); n != 1 {
			t.Fatalf("firestore.rules has %d parts %v, want 1", n, part.ours)
		}
		rules = part.ours.ReplaceAllLiteral(rules, []byte(part.feedOnly))
	}
	return rules
}

// firestore.feed-only.rules is what firestore.rules makes of it.
func TestFeedOnlyRulesAreCurrent(t *testing.T) {
	rules, err := os.ReadFile("../../firestore.rules")
	if err != nil {
		t.Fatal(err)
	}
	want := feedOnly(t, rules)
	if *update {
		if err := os.WriteFile(feedOnlyFile, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(feedOnlyFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("firestore.feed-only.rules is not what firestore.rules makes of it: run go generate ./internal/config")
	}
}

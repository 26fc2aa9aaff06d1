package jobdocs

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWordsOfAText(t *testing.T) {
	for text, want := range map[string][]string{
		"":                          {""},
		"…/users/ada: aborted, ada": {"", "aborted", "ada", "users", "…"},
		"index:a-b_c:00001 (zoë)":   {"", "00001", "a-b_c", "index", "zoë"},
		"!?":                        {""},
	} {
		if diff := cmp.Diff(want, wordsOf(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// Whatever a name is made of, a text that has it, and no byte of a word around it, has its first word.
func TestTextContainingNameContainsItsFirstWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab_- .:/(é→")), 0, 6, -1)
		before := text.Filter(func(s string) bool { return s == "" || !InWord(s[len(s)-1]) }).Draw(t, "before")
		after := text.Filter(func(s string) bool { return s == "" || !InWord(s[0]) }).Draw(t, "after")
		name := text.Draw(t, "name")
		if word, _ := cutWord(name); !slices.Contains(wordsOf(before+name+after), word) {
			t.Errorf("%q has %q, whose first word is %q, and the words %q", before+name+after, name, word, wordsOf(before+name+after))
		}
	})
}

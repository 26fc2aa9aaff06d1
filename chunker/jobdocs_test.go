package chunker_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/relationindex/chunker/jobdocs"
	"example.com/relationindex/testkit"
)

func TestFailureIsValidAndBounded(t *testing.T) {
	f := jobdocs.NewFailure(errors.New(strings.Repeat("é", 1000)), time.Now())
	if len(f.Message) > 1000 || strings.ContainsRune(f.Message, '\uFFFD') {
		t.Errorf("message has %d bytes: %q", len(f.Message), f.Message)
	}
}

func wordsOf(text string) []string { return jobdocs.FailureOf("", text, time.Time{}).Words }

func TestWordsOfAText(t *testing.T) {
	for text, want := range map[string][]string{
		"":                          {""},
		"…/users/ada: aborted, ada": {"", "aborted", "ada", "users", "…"},
		"index:a-b_c:00001 (zoë)":   {"", "00001", "a-b_c", "index", "zoë"},
		"!?":                        {""},
	} {
		testkit.Same(t, fmt.Sprintf("%q", text), want, wordsOf(text))
	}
}

// Whatever a name is made of, a text that has it, and no byte of a word around it, has its first word.
func TestTextContainingNameContainsItsFirstWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab_- .:/(é→")), 0, 6, -1)
		before := text.Filter(func(s string) bool { return s == "" || !jobdocs.InWord(s[len(s)-1]) }).Draw(t, "before")
		after := text.Filter(func(s string) bool { return s == "" || !jobdocs.InWord(s[0]) }).Draw(t, "after")
		name := text.Draw(t, "name")
		word := ""
		if words := strings.FieldsFunc(name, func(r rune) bool { return !strings.ContainsRune("ab_-é→", r) }); len(words) > 0 {
			word = words[0]
		}
		if !slices.Contains(wordsOf(before+name+after), word) {
			t.Errorf("%q has %q, whose first word is %q, and the words %q", before+name+after, name, word, wordsOf(before+name+after))
		}
	})
}

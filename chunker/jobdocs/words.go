package jobdocs

import (
	"slices"
	"strings"
)

// InWord reports whether a byte can be part of a word of a text. Most ids consist of such bytes.
func InWord(c byte) bool {
	return c == '_' || c == '-' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// wordsOf returns the words of a text, each once, in their order. The first is "", for names without a word.
func wordsOf(text string) []string {
	words := []string{""}
	for rest := text; rest != ""; {
		var word string
		if word, rest = cutWord(rest); word != "" {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// cutWord returns the first word of a text, "" if there is none, and the text after it.
func cutWord(text string) (word, rest string) {
	begin := strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 || InWord(byte(r)) }) //nolint:gosec // below 0x80
	if begin < 0 {
		return "", ""
	}
	end := begin
	for end < len(text) && InWord(text[end]) {
		end++
	}
	return text[begin:end], text[end:]
}

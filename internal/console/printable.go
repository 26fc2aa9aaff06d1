package console

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable returns s on one line of any length, with a blank for each unprintable
// character. Call Printable for a client's text before the text becomes a part of a
// line. Otherwise a line break in an id would begin a new line.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// Safe returns a writer that escapes unprintable characters, except line breaks and
// tabs. It writes such a character as JSON escapes it, for example \u001b. So text
// still shows the character, and JSON keeps its meaning. All output of commands goes
// through Safe, in case a caller forgets Printable; only an export to a file or a pipe
// does not. Each call must write whole characters.
func Safe(w io.Writer) io.Writer { return safe{w} }

type safe struct{ w io.Writer }

func (s safe) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.w, escaped(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s safe) WriteString(text string) (int, error) { return s.Write([]byte(text)) }

// escaped returns s with \uXXXX for each unprintable character, except line breaks and tabs.
func escaped(s string) string {
	acts := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }
	if utf8.ValidString(s) && strings.IndexFunc(s, acts) < 0 {
		return s
	}
	var text strings.Builder
	for _, r := range s { // invalid UTF-8 becomes utf8.RuneError
		if !acts(r) {
			text.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&text, `\u%04x`, unit)
		}
	}
	return text.String()
}

package console

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable is s on one line, however long: with a blank for each character that
// has no form. Everything that a client may have written goes through it before it
// becomes a part of a line: a line break in an id would begin a line of its own.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// Safe is w without characters that a terminal acts on, but for the line break and
// the tab: a character without a form is written as JSON escapes it, such as
// \u001b. So text shows what was there, and JSON stays what it was. It is the net
// below Printable, under everything that a command prints. Each call writes whole
// characters.
func Safe(w io.Writer) io.Writer { return safe{w} }

type safe struct{ w io.Writer }

func (s safe) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.w, escaped(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s safe) WriteString(text string) (int, error) { return s.Write([]byte(text)) }

// escaped is s with \uXXXX for each character without a form, line breaks and tabs as they are.
func escaped(s string) string {
	acts := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }
	if utf8.ValidString(s) && strings.IndexFunc(s, acts) < 0 {
		return s
	}
	var text strings.Builder
	for _, r := range s { // of what is no UTF-8, utf8.RuneError
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

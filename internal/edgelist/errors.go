package edgelist

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// RowError says why one line was not read as a row. The lines after it are read.
//
// A caller that refuses a row itself, say because [ParseID] refused one of its
// values, can report it in the same form by making a RowError of its own.
type RowError struct {
	File   string // as it was given to Rows
	Line   int    // 1 is the first
	Reason string // for a person; it shows at most 80 bytes of the line, quoted
}

// Error returns the position and the reason:
//
//	graph.txt:17: 1 column, need 2 (followed=2)
func (e *RowError) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
}

// What can be wrong with the quotes of a line that has commas.
var (
	errOpenQuote  = errors.New("quote not closed on its line")
	errAfterQuote = errors.New("text after a closing quote")
	errBareQuote  = errors.New("quote inside a value that does not start with one")
)

// excerpt returns s in quotes, for an error message. Of a long s it returns the
// beginning, cut between two characters, and dots: "abc"...
func excerpt(s string) string {
	if len(s) <= excerptBytes {
		return strconv.Quote(s)
	}
	end := excerptBytes
	for end > excerptBytes-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return strconv.Quote(s[:end]) + "..."
}

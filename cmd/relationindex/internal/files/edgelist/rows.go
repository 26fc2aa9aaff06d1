package edgelist

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"
)

// MaxLineBytes is the longest line that is read, with its line end. A row of two
// ids at Firestore's limit has about 3,000 bytes.
const MaxLineBytes = 64 << 10

// blanks separate values, and are cut from both ends of a value without quotes.
// Other white space of Unicode can be part of an id.
const blanks = " \t"

// quotedOrComma finds what is between two quotes, and outside of quotes a comma
// with the blanks around it, which encoding/csv would keep or reject.
var quotedOrComma = regexp.MustCompile(`"[^"]*"|[` + blanks + `]*,[` + blanks + `]*`)

// Row is one line that was read. It may be kept; its values keep the whole line.
type Row struct {
	File string // as it was given to Rows
	Line int    // 1 is the first; comments and blank lines count

	columns Columns
	values  []string
}

// Get returns the value in the named column, and "" where the row or the spec has
// none. A required column always has one.
func (r Row) Get(name string) string {
	if n := r.columns.numbers[name]; n > 0 && n <= len(r.values) {
		return r.values[n-1]
	}
	return ""
}

// RowError says why one line was not read as a row. A caller that rejects a row
// makes one of its own.
type RowError struct {
	File   string // as it was given to Rows
	Line   int    // 1 is the first
	Reason string // for a person; it shows little of the line, quoted
}

// Error returns the position and the reason, "graph.txt:17: no followed in column 2".
func (e *RowError) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
}

// Rows reads r to its end, but for a first line that has the names of the columns. Errors call
// it file. The walk goes on after a
// [*RowError], and ends with any other error.
func Rows(file string, r io.Reader, c Columns) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		in, p := bufio.NewReaderSize(r, MaxLineBytes), newParser(c)
		for number := 1; ; number++ {
			line, err := in.ReadSlice('\n')
			long := errors.Is(err, bufio.ErrBufferFull)
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
			if err != nil && err != io.EOF { // the line may be cut, and 12 of 12345 is another id
				yield(Row{}, fmt.Errorf("%s:%d: %w", file, number, err))
				return
			}
			if number == 1 {
				line = bytes.TrimPrefix(line, []byte("\ufeff")) // a byte order mark
			}
			values, bad := p.values(line)
			if long {
				bad = fmt.Errorf("line longer than %d bytes", MaxLineBytes)
			}
			more := true
			switch {
			case bad != nil:
				more = yield(Row{}, &RowError{file, number, bad.Error()})
			case values != nil && number == 1 && c.areNames(values): // a header
			case values != nil:
				more = yield(Row{file, number, c, values}, nil)
			}
			if !more || err != nil {
				return
			}
		}
	}
}

// parser splits lines. Its csv.Reader gets them one at a time, so a quote that is
// not closed ends with its line.
type parser struct {
	columns Columns
	line    *strings.Reader
	csv     *csv.Reader
}

func newParser(c Columns) parser {
	line := strings.NewReader("")
	p := parser{c, line, csv.NewReader(line)}
	p.csv.FieldsPerRecord = -1
	return p
}

// values returns the values of a line, nil if it holds no row.
func (p parser) values(line []byte) ([]string, error) {
	text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
	text = strings.Trim(text, blanks)
	switch {
	case strings.Contains(text, "\x00"):
		return nil, errors.New("NUL byte: not text, or text in UTF-16")
	case strings.Contains(text, "\r"):
		return nil, fmt.Errorf("carriage return inside the line: %.80q", text)
	case text == "" || text[0] == '#':
		return nil, nil
	}
	values, err := p.split(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %.80q", errors.Unwrap(err), text) // the position in err is of all lines with commas
	}
	for _, name := range p.columns.required {
		if (Row{columns: p.columns, values: values}).Get(name) == "" {
			return nil, fmt.Errorf("no %s in column %d", name, p.columns.numbers[name])
		}
	}
	return values, nil
}

func (p parser) split(text string) ([]string, error) {
	if !strings.Contains(text, ",") {
		return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(blanks, r) }), nil
	}
	p.line.Reset(quotedOrComma.ReplaceAllStringFunc(text, func(part string) string {
		if part[0] == '"' {
			return part
		}
		return ","
	}))
	return p.csv.Read()
}

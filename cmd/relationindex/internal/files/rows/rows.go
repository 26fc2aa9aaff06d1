package rows

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

// MaxLineBytes is the most bytes of a line, with its line end. A row of two ids at
// Firestore's limit has about 3,000 bytes.
const MaxLineBytes = 64 << 10

// blanks separate values, and are cut from both ends of a value without quotes.
// Other white space of Unicode can be part of an id.
const blanks = " \t"

// quotedOrComma matches quoted text, and outside of quotes a comma with the blanks
// around it. encoding/csv would keep or reject these blanks.
var quotedOrComma = regexp.MustCompile(`"[^"]*"|[` + blanks + `]*,[` + blanks + `]*`)

// Row is one line of a file. You may keep a Row, but its values keep the whole line in
// memory.
type Row struct {
	File string // as it was given to Rows
	Part string // distinguishes the file from others of its [Source]; "": the only file
	Line int    // 1 is the first; comments and blank lines count

	columns Columns
	values  []string
}

// Has reports whether the file has the named column.
func (r Row) Has(name string) bool { return r.columns.Has(name) }

// Get returns the value in the named column, or "" if the row or the file has none. A required column
// always has a value.
func (r Row) Get(name string) string {
	if n := r.columns.numbers[name]; n > 0 && n <= len(r.values) {
		return r.values[n-1]
	}
	return ""
}

// lacks returns an error if the row has no value in a required column.
func (r Row) lacks() error {
	for _, name := range r.columns.required {
		if r.Get(name) == "" {
			return fmt.Errorf("no %s in column %d", name, r.columns.numbers[name])
		}
	}
	return nil
}

// RowError is the error of a line that is not a row. A caller that rejects a row makes a
// RowError of its own.
type RowError struct {
	File   string // as it was given to Rows
	Line   int    // 1 is the first
	Reason string // for a person; it shows little of the line, quoted
}

// Error returns the position and the reason, "graph.txt:17: no followed in column 2".
func (e *RowError) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
}

// Rows reads r to its end. It skips a first row with the names of the columns. Errors name r file.
// Rows continues after a [*RowError], and ends after any other error.
func Rows(file string, r io.Reader, c Columns) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		in, p := bufio.NewReaderSize(r, MaxLineBytes), newParser(c)
		for number := 1; ; number++ {
			line, long, end := readLine(in)
			if end != nil && !errors.Is(end, io.EOF) { // the line may be cut, and 12 instead of 12345 is another id
				yield(Row{}, fmt.Errorf("%s:%d: %w", file, number, end))
				return
			}
			row, err := p.row(number, line, long)
			none := errors.Is(err, ErrNone)
			if err != nil {
				row, err = Row{}, &RowError{file, number, err.Error()}
			}
			row.File = file
			if !none && !yield(row, err) || end != nil {
				return
			}
		}
	}
}

// readLine reads a line with its end. It drops the text of a line that is too long.
func readLine(in *bufio.Reader) (line []byte, long bool, err error) {
	line, err = in.ReadSlice('\n')
	for errors.Is(err, bufio.ErrBufferFull) {
		long = true
		_, err = in.ReadSlice('\n')
	}
	return line, long, err
}

// ErrNone means that a line holds no row: it is blank, a comment, or the names of the columns.
var ErrNone = errors.New("no row")

// parser splits lines. Its csv.Reader gets one line at a time, so an open quote ends with
// its line.
type parser struct {
	columns Columns
	begun   bool // the first row or header was read
	line    *strings.Reader
	csv     *csv.Reader
}

func newParser(c Columns) *parser {
	line := strings.NewReader("")
	p := &parser{columns: c, line: line, csv: csv.NewReader(line)}
	p.csv.FieldsPerRecord = -1
	return p
}

// row returns the row of a line.
func (p *parser) row(number int, line []byte, long bool) (Row, error) {
	if number == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff")) // a byte order mark
	}
	values, err := p.values(line)
	if long {
		err = fmt.Errorf("line longer than %d bytes", MaxLineBytes)
	}
	if errors.Is(err, ErrNone) {
		return Row{}, err
	}
	first := !p.begun
	p.begun = true
	if err != nil {
		return Row{}, err
	}
	if below, isHeader := p.columns.header(values, number); first && isHeader {
		p.columns = below
		return Row{}, ErrNone
	}
	row := Row{Line: number, columns: p.columns, values: values}
	return row, row.lacks()
}

// values returns the values of a line.
func (p *parser) values(line []byte) ([]string, error) {
	text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
	text = strings.Trim(text, blanks)
	switch {
	case strings.Contains(text, "\x00"):
		return nil, errors.New("NUL byte: not text, or text in UTF-16")
	case strings.Contains(text, "\r"):
		return nil, fmt.Errorf("carriage return inside the line: %.80q", text)
	case text == "" || text[0] == '#':
		return nil, ErrNone
	}
	values, err := p.split(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %.80q", errors.Unwrap(err), text) // the position in err counts only lines with commas
	}
	return values, nil
}

func (p *parser) split(text string) ([]string, error) {
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

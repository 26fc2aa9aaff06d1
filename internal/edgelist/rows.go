package edgelist

import (
	"bytes"
	"fmt"
	"io"
	"iter"
)

// Row is one line that was read. It holds copies of its values, so it may be kept.
type Row struct {
	// Line is the number of the line in the file, comments and blank lines
	// counted; 1 is the first.
	Line int

	columns Columns
	values  []string // in the order of columns.list
}

// Get returns the value in the named column. A required column always has one. It
// returns "" for an optional column that the row lacks or leaves empty, and for a
// name that is not in the spec.
func (r Row) Get(name string) string {
	if i := r.columns.find(name); i >= 0 {
		return r.values[i]
	}
	return ""
}

// Rows reads r to its end, line by line. Errors call it file.
//
// A [*RowError] concerns one line, and the walk goes on after it. Any other error
// is the last thing that the walk yields: r failed, or c is the zero value. The
// row that comes with an error is the zero Row.
//
// r is read through a buffer. A walk that was left early can be taken up again by
// ranging over the same sequence, but not by reading r. Only one goroutine may use
// the sequence.
func Rows(file string, r io.Reader, c Columns) iter.Seq2[Row, error] {
	p := &parser{file: file, lines: newScanner(r), columns: c, last: c.lastRequired()}
	return func(yield func(Row, error) bool) {
		if len(c.list) == 0 {
			yield(Row{}, fmt.Errorf("%s: no columns are named", file))
			return
		}
		for p.lines.scan() {
			if !yield(p.row()) {
				return
			}
		}
		if err := p.lines.err; err != nil {
			yield(Row{}, fmt.Errorf("%s: after line %d: %w", file, p.lines.number, err))
		}
	}
}

// parser makes rows of the lines of one file.
type parser struct {
	file    string
	lines   *scanner
	columns Columns
	last    column   // the rightmost required one
	fields  [][]byte // reused for each line
}

// row returns the line that was just scanned as a row, or a [*RowError].
func (p *parser) row() (Row, error) {
	line := p.lines.line
	if p.lines.long {
		return Row{}, p.refuse("line longer than %d bytes", MaxLineBytes)
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return Row{}, p.refuse("NUL byte: not text, or text in UTF-16")
	}
	var err error
	p.fields, err = split(p.fields[:0], line)
	if err != nil {
		return Row{}, p.refuse("%v: %s", err, excerpt(string(line)))
	}
	if len(p.fields) < p.last.number {
		return Row{}, p.refuse("%s, need %d (%s)", count(len(p.fields)), p.last.number, p.last)
	}
	values := make([]string, len(p.columns.list))
	for i, column := range p.columns.list {
		if column.number <= len(p.fields) {
			values[i] = string(p.fields[column.number-1])
		}
		if column.required && values[i] == "" {
			return Row{}, p.refuse("column %d is empty (%s)", column.number, column)
		}
	}
	return Row{Line: p.lines.number, columns: p.columns, values: values}, nil
}

// refuse returns the error of the line that was just scanned.
func (p *parser) refuse(format string, args ...any) *RowError {
	return &RowError{File: p.file, Line: p.lines.number, Reason: fmt.Sprintf(format, args...)}
}

// count returns "1 column" or "2 columns".
func count(columns int) string {
	if columns == 1 {
		return "1 column"
	}
	return fmt.Sprintf("%d columns", columns)
}

package console

import (
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// maxCell is the most characters of a value that a table shows.
const maxCell = 60

// Table writes rows in columns below their headers. Each line begins with indent.
// Values are on one line, without control characters, and long values are cut.
// Values in the columns of whole, which count from 0, are not cut, so that a
// person can copy them.
func Table(w io.Writer, indent string, headers []string, rows [][]string, whole ...int) error {
	lines := make([]string, 0, len(rows)+1)
	for _, row := range append([][]string{headers}, rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			if slices.Contains(whole, i) {
				cells[i] = Printable(cell)
			} else {
				cells[i] = Line(cell)
			}
		}
		lines = append(lines, indent+strings.Join(cells, "\t"))
	}
	return align(w, lines)
}

// Fields writes a line for each pair of a name and a value, with the values below each
// other. It writes no line for an empty value. A value's line breaks stay; its other
// control characters become blanks.
func Fields(w io.Writer, fields [][2]string) error {
	var lines []string
	for _, f := range fields {
		name := f[0]
		for line := range strings.Lines(f[1]) {
			lines = append(lines, name+"\t"+Printable(strings.TrimSuffix(line, "\n")))
			name = ""
		}
	}
	return align(w, lines)
}

// align writes lines, with tabs as the ends of columns.
func align(w io.Writer, lines []string) error {
	var text strings.Builder
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		_, _ = io.WriteString(out, line+"\n") // a Builder takes everything
	}
	_ = out.Flush()
	var trimmed strings.Builder // without the blanks before an empty last column
	for line := range strings.Lines(text.String()) {
		trimmed.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	_, err := io.WriteString(w, trimmed.String())
	return err
}

// Line returns s on one line of at most 60 characters. Text from a database thus
// cannot move the cursor.
func Line(s string) string {
	n := 0
	for i := range s {
		if n == maxCell {
			return Printable(s[:i]) + "…"
		}
		n++
	}
	return Printable(s)
}

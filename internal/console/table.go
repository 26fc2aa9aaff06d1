package console

import (
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// maxCell is how much of a value a table shows, in characters.
const maxCell = 60

// Table writes rows in columns below their headers, each line behind indent.
// Values are shown on one line, without control characters, and cut when they
// are long; but for those of the columns in whole, counted from 0, which
// somebody may want to copy.
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

// Fields writes a line for each pair of a name and a value, the values below each
// other, and none for an empty value. Lines of a value stay lines; its other
// control characters go.
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

// align writes lines with what is between their tabs in columns.
func align(w io.Writer, lines []string) error {
	var text strings.Builder
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		_, _ = io.WriteString(out, line+"\n") // a Builder takes everything
	}
	_ = out.Flush()
	var trimmed strings.Builder // of the blanks before an empty last column
	for line := range strings.Lines(text.String()) {
		trimmed.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	_, err := io.WriteString(w, trimmed.String())
	return err
}

// Line is s on one line of at most 60 characters: what comes from a database
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

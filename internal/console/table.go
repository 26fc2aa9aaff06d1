package console

import (
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
)

// maxCell is how much of a value a table shows, in characters.
const maxCell = 60

// Table writes rows in columns below their headers, each line behind indent.
// Values are shown on one line, without control characters, and cut when they
// are long.
func Table(w io.Writer, indent string, headers []string, rows [][]string) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{headers}, rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = Line(cell)
		}
		if _, err := io.WriteString(out, indent+strings.Join(cells, "\t")+"\n"); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Line is s on one line of at most 60 characters: what comes from a database
// cannot move the cursor.
func Line(s string) string {
	var line strings.Builder
	n := 0
	for _, r := range s {
		if n == maxCell {
			line.WriteString("…")
			break
		}
		if !unicode.IsPrint(r) {
			r = ' '
		}
		line.WriteRune(r)
		n++
	}
	return line.String()
}

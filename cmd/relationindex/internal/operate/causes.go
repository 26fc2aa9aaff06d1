package operate

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/internal/console"
)

const (
	// maxExamples is how many documents of a cause are named.
	maxExamples = 3
	// maxCauses is how many different causes are listed. Clients' texts may create any number of causes.
	maxCauses = 100
)

// causes groups findings by their causes.
type causes []cause

type cause struct {
	text     string
	rank     int
	count    int64
	examples []string // the first documents
}

// particular matches the parts of a text that differ between documents with the same problem: numbers, times
// and quoted text.
var particular = regexp.MustCompile(`"(\\.|[^"\\])*"|[0-9]+`)

// violation counts a violation of an invariant.
func (c *causes) violation(v verify.Violation) {
	rank := others
	switch {
	case v.Invariant == 2 && v.Index == "":
		rank = ofDirectories
	case v.Invariant == 2:
		rank = ofIndexDocuments
	}
	c.put(rank, general(v.Problem)+fmt.Sprintf(" (invariant %d)", v.Invariant), v.String())
}

// The ranks of causes. Violations of index documents explain most violations of followers and relations.
const (
	ofDirectories    = iota // index documents are missing, or differ from the list in the user document
	ofIndexDocuments        // index documents are not well-formed
	others
)

// add counts an example of another problem.
func (c *causes) add(problem, example string) { c.put(others, general(problem), example) }

// general returns a problem without the parts that differ between documents.
func general(problem string) string { return particular.ReplaceAllString(problem, "…") }

func (c *causes) put(rank int, text, example string) {
	at := slices.IndexFunc(*c, func(known cause) bool { return known.text == text })
	if at < 0 && len(*c) == maxCauses {
		at = maxCauses - 1
		(*c)[at].text, (*c)[at].rank = "other causes", others
	}
	if at < 0 {
		at = len(*c)
		*c = append(*c, cause{text: text, rank: rank})
	}
	known := &(*c)[at]
	if known.count++; len(known.examples) < maxExamples {
		known.examples = append(known.examples, example)
	}
}

// lines returns the lines of all causes. Causes that explain others come first, then the most frequent. A cause with
// a single document has no heading.
func (c causes) lines() (lines []string) {
	slices.SortStableFunc(c, func(a, b cause) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.count, a.count)) })
	for _, known := range c {
		if known.count == 1 {
			lines = append(lines, known.examples...)
			continue
		}
		lines = append(lines, fmt.Sprintf("%d × %s", known.count, known.text))
		for _, example := range known.examples {
			lines = append(lines, "  "+example)
		}
	}
	return lines
}

// write writes the lines.
func (c causes) write(out io.Writer) {
	for _, line := range c.lines() {
		fmt.Fprintln(out, console.Printable(line))
	}
}

package operate

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
)

const (
	// maxExamples is how many documents of a cause are named.
	maxExamples = 3
	// maxCauses is how many causes are told apart: what clients wrote may be in them.
	maxCauses = 100
)

// causes groups what was found by its cause.
type causes []cause

type cause struct {
	text     string
	count    int64
	examples []string // the first of them
}

// particular is what differs between documents with the same problem: numbers, times, and what is quoted.
var particular = regexp.MustCompile(`"(\\.|[^"\\])*"|[0-9]+`)

// add counts an example of a problem.
func (c *causes) add(problem, example string) {
	text := particular.ReplaceAllString(problem, "…")
	at := slices.IndexFunc(*c, func(known cause) bool { return known.text == text })
	if at < 0 && len(*c) == maxCauses {
		at = maxCauses - 1
		(*c)[at].text = "other causes"
	}
	if at < 0 {
		at = len(*c)
		*c = append(*c, cause{text: text})
	}
	known := &(*c)[at]
	if known.count++; len(known.examples) < maxExamples {
		known.examples = append(known.examples, example)
	}
}

// lines says each cause, the most frequent first. What is alone needs no heading.
func (c causes) lines() (lines []string) {
	slices.SortStableFunc(c, func(a, b cause) int { return cmp.Compare(b.count, a.count) })
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

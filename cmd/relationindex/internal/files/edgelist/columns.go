package edgelist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxColumn is the highest column number that [ParseColumns] accepts.
const MaxColumn = 1000

// Columns says which column of a line holds which value. [ParseColumns] makes it.
type Columns struct {
	numbers  map[string]int // 1 is the first
	required []string
}

// Has reports whether the spec has the named column.
func (c Columns) Has(name string) bool { return c.numbers[name] > 0 }

// ParseColumns reads a spec such as "follower=1,followed=2". It must have every
// required name, and a row must then have that value. It may have the optional
// ones. An error names the spec, the rule that it breaks, and a spec that is right.
func ParseColumns(spec string, required []string, optional ...string) (Columns, error) {
	columns, err := parseColumns(spec, required, optional)
	if err != nil {
		example := make([]string, len(required))
		for i, name := range required {
			example[i] = fmt.Sprintf("%s=%d", name, i+1)
		}
		return Columns{}, fmt.Errorf("columns %.80q: %w; for example %q", spec, err, strings.Join(example, ","))
	}
	return columns, nil
}

func parseColumns(spec string, required, optional []string) (Columns, error) {
	columns := Columns{map[string]int{}, required}
	known := slices.Concat(required, optional)
	for item := range strings.SplitSeq(spec, ",") {
		name, value, _ := strings.Cut(item, "=")
		name = strings.TrimSpace(name)
		number, err := strconv.Atoi(strings.TrimSpace(value))
		switch {
		case !slices.Contains(known, name):
			return Columns{}, fmt.Errorf("unknown name %.80q, want name=number with a name of %s", name, strings.Join(known, ", "))
		case columns.numbers[name] != 0:
			return Columns{}, fmt.Errorf("%s is given twice", name)
		case err != nil || number < 1 || number > MaxColumn:
			return Columns{}, fmt.Errorf("%s is column %.80q, want a whole number from 1 to %d", name, value, MaxColumn)
		}
		for other, taken := range columns.numbers {
			if taken == number && slices.Contains(required, other) && slices.Contains(required, name) {
				return Columns{}, fmt.Errorf("%s and %s are both column %d", other, name, number)
			}
		}
		columns.numbers[name] = number
	}
	for _, name := range required {
		if columns.numbers[name] == 0 {
			return Columns{}, fmt.Errorf("%s is missing", name)
		}
	}
	return columns, nil
}

// areNames reports whether a row's values are the columns' own names: the line is a header.
func (c Columns) areNames(values []string) bool {
	for name, number := range c.numbers {
		if number > len(values) || !strings.EqualFold(values[number-1], name) {
			return false
		}
	}
	return true
}

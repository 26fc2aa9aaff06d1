package rows

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxColumn is the highest column number that [ParseColumns] accepts.
const MaxColumn = 1000

// Columns maps the names of values to the columns of a line. [ParseColumns] and [InOrder] make Columns.
type Columns struct {
	numbers  map[string]int // 1 is the first
	required []string
	headed   []string // names that a first row may have in any order; none: the order is fixed
}

// Has reports whether the spec has the named column.
func (c Columns) Has(name string) bool { return c.numbers[name] > 0 }

// InOrder returns the columns of a file that has the required values first, and then the optional
// values. If the first row has the names of all required columns, the first row gives the order of
// all columns. Then the file may also have the headed columns.
func InOrder(required, optional []string, headed ...string) Columns {
	names, numbers := slices.Concat(required, optional), map[string]int{}
	for n, name := range names {
		numbers[name] = n + 1
	}
	return Columns{numbers, required, slices.Concat(names, headed)}
}

// ParseColumns reads a spec such as "follower=1,followed=2". The spec must have every required name,
// and a row must have these values. The spec may have the optional names. An error names the spec,
// the broken rule, and a valid spec.
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
	columns := Columns{numbers: map[string]int{}, required: required}
	known := slices.Concat(required, optional)
	for item := range strings.SplitSeq(spec, ",") {
		name, value, _ := strings.Cut(item, "=")
		name = strings.TrimSpace(name)
		number, err := strconv.Atoi(strings.TrimSpace(value))
		switch {
		case !slices.Contains(known, name):
			return Columns{}, fmt.Errorf("unknown name %.80q: must be name=number, with one of the names %s", name, strings.Join(known, ", "))
		case columns.numbers[name] != 0:
			return Columns{}, fmt.Errorf("%s is given twice", name)
		case err != nil || number < 1 || number > MaxColumn:
			return Columns{}, fmt.Errorf("%s is column %.80q: must be a whole number from 1 to %d", name, value, MaxColumn)
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

// header reports whether a file's first row names columns, and returns the columns of the rows below.
func (c Columns) header(values []string, line int) (Columns, bool) {
	named := Columns{numbers: map[string]int{}, required: c.required}
	for n, value := range values {
		if slices.Contains(c.headed, value) {
			named.numbers[value] = n + 1
		}
	}
	if len(c.headed) > 0 && !slices.ContainsFunc(c.required, func(name string) bool { return !named.Has(name) }) {
		return named, true
	}
	return c, line == 1 && c.areNames(values)
}

// areNames reports whether a row's values are the columns' own names.
func (c Columns) areNames(values []string) bool {
	for name, number := range c.numbers {
		if number > len(values) || !strings.EqualFold(values[number-1], name) {
			return false
		}
	}
	return true
}

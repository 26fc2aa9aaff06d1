package edgelist

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Columns says which column of a line holds which value. [ParseColumns] makes
// it. It does not change, so any number of goroutines may use it. The zero value
// names no column, and [Rows] refuses it.
type Columns struct {
	list []column // in the order of the spec
}

// column is one name=number of a spec.
type column struct {
	name     string
	number   int // 1 is the first
	required bool
}

// String returns the column as a spec writes it: "followed=2".
func (c column) String() string {
	return c.name + "=" + strconv.Itoa(c.number)
}

// String returns the columns as a spec that [ParseColumns] would accept:
// "follower=1,followed=2".
func (c Columns) String() string {
	items := make([]string, len(c.list))
	for i, column := range c.list {
		items[i] = column.String()
	}
	return strings.Join(items, ",")
}

// ParseColumns reads a spec such as "follower=1,followed=2": names and 1-based
// column numbers. Spaces around a name or a number do not matter.
//
// Every name in required must be in the spec, and a row must then have a value
// for it. A name in optional may be left out of the spec, and a row may lack its
// value. Both lists are the caller's own constants: names without '=' or ',',
// none of them twice. Two names may share a column number.
//
// An error names the spec, the rule that it breaks, and an example that is right.
func ParseColumns(spec string, required []string, optional ...string) (Columns, error) {
	columns, err := parseColumns(spec, required, optional)
	if err != nil {
		return Columns{}, fmt.Errorf("columns %s: %w; for example %q", excerpt(spec), err, example(required, optional))
	}
	return columns, nil
}

func parseColumns(spec string, required, optional []string) (Columns, error) {
	if strings.TrimSpace(spec) == "" {
		return Columns{}, errors.New("want at least one name=number")
	}
	var columns Columns
	for item := range strings.SplitSeq(spec, ",") {
		name, number, found := strings.Cut(item, "=")
		if !found {
			return Columns{}, fmt.Errorf("%s is not name=number", excerpt(item))
		}
		c := column{name: strings.TrimSpace(name)}
		c.required = slices.Contains(required, c.name)
		if !c.required && !slices.Contains(optional, c.name) {
			names := slices.Concat(required, optional)
			return Columns{}, fmt.Errorf("unknown name %s, want one of %s", excerpt(c.name), strings.Join(names, ", "))
		}
		if columns.find(c.name) >= 0 {
			return Columns{}, fmt.Errorf("%s is there twice", c.name)
		}
		var err error
		c.number, err = strconv.Atoi(strings.TrimSpace(number))
		if err != nil || c.number < 1 || c.number > MaxColumn {
			return Columns{}, fmt.Errorf("%s is column %s, want a whole number from 1 to %d", c.name, excerpt(number), MaxColumn)
		}
		columns.list = append(columns.list, c)
	}
	for _, name := range required {
		if columns.find(name) < 0 {
			return Columns{}, fmt.Errorf("%s is missing", name)
		}
	}
	return columns, nil
}

// find returns the place of name in the list, -1 if it has none.
func (c Columns) find(name string) int {
	return slices.IndexFunc(c.list, func(c column) bool { return c.name == name })
}

// lastRequired returns the rightmost column that a row cannot do without. It is
// the zero column if there is none.
func (c Columns) lastRequired() column {
	var last column
	for _, column := range c.list {
		if column.required && column.number > last.number {
			last = column
		}
	}
	return last
}

// example returns a spec that is right: the required names, or the optional ones
// if there are no others, in their order.
func example(required, optional []string) string {
	names := required
	if len(names) == 0 {
		names = optional
	}
	items := make([]string, len(names))
	for i, name := range names {
		items[i] = column{name: name, number: i + 1}.String()
	}
	return strings.Join(items, ",")
}

package layout_test

import (
	"fmt"
	"testing"

	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// Each layout that a configuration may name has its own type: none falls to another.
func TestEachLayoutHasItsType(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, name := range schema.Layouts() {
		kind := fmt.Sprintf("%T", layout.New(schema.Config{Feeds: []string{name}}.WithDefaults()))
		if other, ok := seen[kind]; ok {
			t.Errorf("%s and %s are both %s", name, other, kind)
		}
		seen[kind] = name
	}
}

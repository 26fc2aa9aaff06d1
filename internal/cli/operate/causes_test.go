package operate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Of what differs by numbers and by what is quoted alone, there is a count, and a few are named.
func TestCauses(t *testing.T) {
	t.Parallel()
	var c causes
	c.add("edge is missing", "users/b/following/a: edge is missing")
	for n := range 5 {
		problem := fmt.Sprintf(`holds "f\"%d", who does not follow, in %d`, n, n)
		c.add(problem, fmt.Sprintf("doc%d: %s", n, problem))
	}
	want := []string{
		"5 × holds …, who does not follow, in …",
		`  doc0: holds "f\"0", who does not follow, in 0`,
		`  doc1: holds "f\"1", who does not follow, in 1`,
		`  doc2: holds "f\"2", who does not follow, in 2`,
		"users/b/following/a: edge is missing",
	}
	if diff := cmp.Diff(want, c.lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// However many causes clients write, few are held.
func TestCausesAreBounded(t *testing.T) {
	t.Parallel()
	var c causes
	for n := range 3 * maxCauses {
		c.add("not a relation: "+strings.Repeat("x", n+1), "doc")
	}
	if len(c) != maxCauses || c.lines()[0] != fmt.Sprintf("%d × other causes", 2*maxCauses+1) {
		t.Errorf("%d causes, and it says %.3q", len(c), c.lines())
	}
}

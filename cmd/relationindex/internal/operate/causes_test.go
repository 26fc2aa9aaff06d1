package operate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/sample"
	"example.com/relationindex/audit/verify"
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

// Findings that explain others come first, even if they are few. A heading keeps the number of the invariant.
// Findings of a sample are grouped like those of verify.
func TestRootCausesAreListedFirst(t *testing.T) {
	t.Parallel()
	var verified, sampled causes
	add := func(document, problem string, invariant int, index string) {
		v := verify.Violation{Document: document, Problem: problem, Invariant: invariant, Index: index}
		verified.violation(v)
		sampled.finding(sample.Finding{Document: document, Problem: problem, Violation: v})
	}
	for n := range 4 {
		add(fmt.Sprint("users/f", n, "/following/a"), `edge names index document "00001", but the follower is in none`, 1, "")
	}
	for n := range 3 {
		add(fmt.Sprint("users/a/followers_index/0000", n), "is not backfilled", 2, fmt.Sprint("0000", n))
	}
	for _, u := range []string{"a", "b"} {
		add("users/"+u, "followers_index lists 2 index documents, but 1 exist", 2, "")
	}
	want := []string{
		"2 × followers_index lists … index documents, but … exist (invariant 2)",
		"  users/a: followers_index lists 2 index documents, but 1 exist (invariant 2)",
		"  users/b: followers_index lists 2 index documents, but 1 exist (invariant 2)",
		"3 × is not backfilled (invariant 2)",
		"  users/a/followers_index/00000: is not backfilled (invariant 2)",
		"  users/a/followers_index/00001: is not backfilled (invariant 2)",
		"  users/a/followers_index/00002: is not backfilled (invariant 2)",
		"4 × edge names index document …, but the follower is in none (invariant 1)",
		`  users/f0/following/a: edge names index document "00001", but the follower is in none (invariant 1)`,
		`  users/f1/following/a: edge names index document "00001", but the follower is in none (invariant 1)`,
		`  users/f2/following/a: edge names index document "00001", but the follower is in none (invariant 1)`,
	}
	for name, got := range map[string]causes{"verify": verified, "verify --sample": sampled} {
		if diff := cmp.Diff(want, got.lines()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
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

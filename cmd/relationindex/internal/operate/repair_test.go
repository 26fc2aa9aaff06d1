package operate

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/internal/console"
)

// An author may have millions of documents that are wrong: the program does not hold their names.
func TestRepairCountsABoundedNumberOfDocuments(t *testing.T) {
	var out bytes.Buffer
	r := repairer{out: &out, documents: map[string]bool{}, authors: map[string]bool{}, bar: console.Start("repair", -1)}
	defer r.bar.End()
	const found = maxCounted + 5
	for n := range found {
		r.report(verify.Violation{Document: fmt.Sprint(n), Invariant: 1, Author: "author"})
	}
	r.say(verify.Verified{}, repair.Repaired{})
	want := fmt.Sprintf("before: %d violations in at least %d documents\n", found, maxCounted)
	if len(r.documents) > maxCounted || !strings.Contains(out.String(), want) {
		t.Errorf("it holds %d names and says %s, want %s", len(r.documents), out.String(), want)
	}
}

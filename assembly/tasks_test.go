package assembly

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// What a release stores of a job, the next one reads: the kind, and the index of a phase.
// If you change a line of this, raise chunker.Schema and give the new number to the task.
func TestAChangedTaskHasAnotherSchema(t *testing.T) {
	s, err := New(nil, chunker.New(nil, chunker.Options{}), schema.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, task := range slices.Concat(s.Relations.Tasks(), s.Accounts.Tasks()) {
		var phases []string
		for _, p := range task.Phases {
			phases = append(phases, p.Name)
		}
		got = append(got, fmt.Sprintf("%s, schema %d: %s", task.Kind, max(1, task.Schema), strings.Join(phases, ", ")))
	}
	want := []string{
		"relations.post, schema 2: relations",
		"relations.index, schema 1: posts, stale relations",
		"relations.purge, schema 3: receipt, following, followers, index documents, relations, requests, requests by the account, posts, mentions, groups, jobs",
		"relations.profile, schema 1: count, posts",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

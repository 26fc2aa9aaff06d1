package relations

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a release stores of a job, the next one reads: the kind, and the index of
// a phase. Whoever changes a line of this raises chunker.Schema and gives the
// new number to the task.
func TestAChangedTaskHasAnotherSchema(t *testing.T) {
	var got []string
	for _, task := range new(Index).tasks() {
		var phases []string
		for _, p := range task.Phases {
			phases = append(phases, p.Name)
		}
		got = append(got, fmt.Sprintf("%s, schema %d: %s", task.Kind, max(1, task.Schema), strings.Join(phases, ", ")))
	}
	want := []string{
		"relations.post, schema 2: relations",
		"relations.index, schema 1: posts, stale relations",
		"relations.purge, schema 2: receipt, following, followers, index documents, relations, posts, jobs",
		"relations.profile, schema 1: count, posts",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

package upgrade

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/relations"
)

// What a release stores of a job, the next one reads: the kind, and how many
// phases it has. Whoever changes a line of this raises chunker.Schema and gives
// the new number to the task, and adds to the tests of this package a job of the
// earlier schema that this release takes over.
func TestAChangedTaskHasAnotherSchema(t *testing.T) {
	engine := chunker.New(nil, chunker.Options{})
	if _, err := relations.New(nil, engine, config.Functions{}.RelationsOptions()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, task := range engine.Tasks() {
		var phases []string
		for _, p := range task.Phases {
			phases = append(phases, p.Name)
		}
		got = append(got, fmt.Sprintf("%s, schema %d: %s", task.Kind, max(1, task.Schema), strings.Join(phases, ", ")))
	}
	want := []string{
		"relations.index, schema 1: posts, stale relations",
		"relations.post, schema 1: relations",
		"relations.profile, schema 1: count, posts",
		"relations.purge, schema 1: receipt, following, followers, index documents, relations, posts, jobs",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

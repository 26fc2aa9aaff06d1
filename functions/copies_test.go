package functions_test

import (
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/config"
)

// An array that a post may hold is not copied where a full relation could not
// carry it: production would refuse the relation, and with it the author's follows.
func TestCopiesThatAFullRelationCannotCarry(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{CopiedFields: []string{"text", "tags"}})
	leavers := a.loadFull("author", 1, 10_000, func(n int) string { return fmt.Sprintf("follower%020d", n) })
	many := make([]string, 12_000)
	for i := range many {
		many[i] = fmt.Sprintf("t%05d", i)
	}
	a.Must(a.Client.Doc("posts/many").Set(t.Context(), map[string]any{"userId": "author", "createdAt": day, "text": "x", "tags": many}))
	a.Post("plain", "author", day)
	a.Settle()
	if got := len(a.Feed(leavers[0])); got != 2 {
		t.Errorf("the feed has %d posts, want 2", got)
	}
	a.Unfollow(leavers[0], "author")
	a.Settle()
	a.WantFeed(leavers[0])
	if _, copied := a.Data("_relations/many_00001")["tags"]; copied {
		t.Error("12,000 tags are copied")
	}
	a.Edit("many", firestore.Update{Path: "tags", Value: many[:4_000]})
	a.Settle()
	if tags, _ := a.Data("_relations/many_00001")["tags"].([]any); len(tags) != 4_000 {
		t.Errorf("%d tags are copied, want 4,000", len(tags))
	}
	a.Follow(leavers[0], "author")
	a.Settle()
	if got := len(a.Feed(leavers[0])); got != 2 {
		t.Errorf("after a follow the feed has %d posts, want 2", got)
	}
}

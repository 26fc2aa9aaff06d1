package relations_test

import (
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// An array of a post is not copied if a full relation could not hold it: production would
// reject the relation, and with it the author's follows.
func TestCopiesTooLargeForFullRelationAreOmitted(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text", "tags"}})
	leavers := loadFull(a, "author", 1, 10_000, func(n int) string { return fmt.Sprintf("follower%020d", n) })
	many := make([]string, 12_000)
	for i := range many {
		many[i] = fmt.Sprintf("t%05d", i)
	}
	a.Must(a.Client.Doc("posts/many").Set(t.Context(), map[string]any{"userId": "author", "createdAt": stories.Day, "text": "x", "tags": many}))
	a.Post("plain", "author", stories.Day)
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

// Relations of an earlier release have larger copies than a full relation has room for.
// The first change of followers that needs the room removes the copies, from the change
// log or as a whole array.
func TestOverfullRelationDropsCopiesOnChange(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text", "tags"}})
	many := make([]string, 12_000)
	for i := range many {
		many[i] = fmt.Sprintf("t%05d", i)
	}
	followers := make([]string, 7_994)
	for n := range followers {
		followers[n] = fmt.Sprintf("f%06d", n)
	}
	const index = "users/author/followers_index/00001"
	set := func(path string, fields map[string]any) { a.Must(a.Client.Doc(path).Set(t.Context(), fields)) }
	set("users/author", map[string]any{"followers_index": []string{"00001"}, "latestFollowersIndex": "00001"})
	set(index, map[string]any{
		"followers": followers, "count": len(followers), "sizeBytes": 8 * len(followers), "version": 7, "changes": []any{}, "backfilled": true,
	})
	for p, version := range map[string]int{"logged": 7, "behind": 3} {
		set("posts/"+p, map[string]any{"userId": "author", "createdAt": stories.Day, "text": "x", "tags": many})
		relation := map[string]any{
			"postId": p, "userId": "author", "audience": "author", "indexId": "00001", "indexVersion": version, "createdAt": stories.Day,
			"followers": followers[:1], "sizeBytes": 8 * len(followers), "text": "x", "tags": many, "before": "renamed",
		}
		if p == "logged" {
			relation["followers"] = followers
		}
		set("_relations/"+p+"_00001", relation)
	}
	a.Follow("new", "author")
	a.OK(a.Instance().Graph.Follow(t.Context(), "author", "new"))
	if got := len(a.Feed("new")); got != 2 {
		t.Errorf("the feed has %d posts, want 2", got)
	}
	for _, p := range []string{"logged", "behind"} {
		relation := a.Data("_relations/" + p + "_00001")
		for _, field := range []string{"tags", "text", "before"} {
			if _, ok := relation[field]; ok {
				t.Errorf("%s: the relation has a copy of %s", p, field)
			}
		}
		if got := relation["followers"].([]any); len(got) != 7_995 {
			t.Errorf("%s: the relation has %d followers, want 7,995", p, len(got))
		}
	}
}

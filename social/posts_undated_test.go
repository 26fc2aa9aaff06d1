package social_test

import (
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// Clients cannot change createdAt, so a post that a server wrote without a time gets
// one from a server. Until then it stands at the time of its document; then at its own.
func TestUndatedPostMovesWhenServerDatesIt(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.Follow("fan", "author")
	a.Post("dated", "author", stories.Day)
	undated := []string{"absent", "text", "none"}
	for id, fields := range map[string]map[string]any{
		"none":   {"userId": "author", "createdAt": nil},
		"text":   {"userId": "author", "createdAt": "yesterday"},
		"absent": {"userId": "author"},
	} {
		a.Must(a.Client.Doc("posts/"+id).Set(t.Context(), fields))
	}
	a.Settle()
	if feed := a.Feed("fan"); len(feed) != 4 {
		t.Errorf("the feed is %q, want all", feed)
	}
	for n, id := range undated {
		a.Edit(id, firestore.Update{Path: "createdAt", Value: stories.Day.AddDate(0, 0, -1-n)})
	}
	a.Settle()
	a.WantFeed("fan", "dated", "absent", "text", "none")
	a.WantVerified()
}

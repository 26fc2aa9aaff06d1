package feeds_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	feeds "example.com/relationindex/examples/embed"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/sendtest"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// The delivery keeps the promises of every delivery.
func TestUnread(t *testing.T) {
	t.Parallel()
	sendtest.Suite{Delivery: feeds.Unread(), Told: unread, Writes: 1}.Run(t)
}

func unread(ctx context.Context, db *firestore.Client, post string) (readers []string, err error) {
	docs, err := db.Collection("unread").Where("post", "==", post).Documents(ctx).GetAll()
	for _, doc := range docs {
		readers = append(readers, doc.Data()["reader"].(string))
	}
	return readers, err
}

// A supervisor's comment lifts a post for the team, and new posts are marked for those who read them.
func TestEmbeddedAppRanksAndMarksPosts(t *testing.T) {
	t.Parallel()
	c := social.Config{Feeds: []string{"relations", "items"}, Ranked: true}
	feeds.Configure(&c)
	a := testkit.NewApp(t, c)
	a.Must(a.Client.Doc("teams/sue").Set(t.Context(), map[string]any{"group": "g_tech"}))
	a.Group("g_tech", "sue")
	a.Profile("ann", map[string]any{"name": "Ann"})
	a.Follow("tom", "ann")
	a.Follow("tom", "g_tech")
	a.Settle()
	a.Post("p1", "ann", time.Now().Add(-time.Minute))
	a.Settle()
	a.Post("p2", "ann", time.Now().Add(-time.Second))
	a.Settle()
	for _, post := range []string{"p1", "p2"} {
		if readers, err := unread(t.Context(), a.Client, post); err != nil || !slices.Equal(readers, []string{"tom"}) {
			t.Errorf("%s is unread by %v, %v", post, readers, err)
		}
	}
	a.Must(a.Client.Doc("posts/p1/comments/c1").Set(t.Context(), map[string]any{
		"userId": "sue", "audience": "", "thread": "ann/ann", "createdAt": firestore.ServerTimestamp, "text": "look",
	}))
	a.Settle()
	docs, err := a.Client.Collection("users/tom/timeline").OrderBy("at", firestore.Desc).Documents(t.Context()).GetAll()
	if err != nil || len(docs) != 2 || docs[0].Data()["post"] != "p1" {
		t.Errorf("the timeline has %d documents, want p1 first: %v", len(docs), err)
	}
}

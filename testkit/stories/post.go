package stories

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/schema"
)

func postEditReachesTheFeed(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}, Capacity: 1})
	a.Follow("r1", "author")
	a.Follow("r2", "author")
	a.Post("p1", "author", Day)
	a.Post("p2", "author", Day.Add(time.Hour))
	a.Settle()
	a.WantFeed("r1", "p2", "p1")

	a.Edit("p1", firestore.Update{Path: "createdAt", Value: Day.Add(2 * time.Hour)}, firestore.Update{Path: "text", Value: "new"})
	a.Settle()
	a.WantFeed("r1", "p1", "p2")
	for _, relation := range []string{"p1_00001", "p1_00002"} {
		doc, err := a.Client.Doc("_relations/" + relation).Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.Data()["text"]; got != "new" {
			t.Errorf("text of %s is %q, want new", relation, got)
		}
	}
	// A field deleted from the post is deleted from its relations.
	a.Edit("p1", firestore.Update{Path: "text", Value: firestore.Delete})
	a.Settle()
	a.WantVerified()
}

func authorChange(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 1})
	for i := range 3 {
		a.Follow(fmt.Sprintf("old%d", i), "first")
	}
	a.Follow("new", "second")
	a.Post("p1", "first", Day)
	a.Settle()
	a.WantFeed("old2", "p1")

	a.Edit("p1", firestore.Update{Path: "userId", Value: "second"})
	a.Settle()
	for i := range 3 {
		a.WantFeed(fmt.Sprintf("old%d", i))
	}
	a.WantFeed("new", "p1")
	a.WantVerified()
}

func deletedPostLeavesTheFeed(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 2})
	for i := range 5 {
		a.Follow(fmt.Sprintf("r%d", i), "author")
	}
	a.Post("p1", "author", Day)
	a.Post("p2", "author", Day.Add(time.Hour))
	a.Settle()
	a.DeletePost("p1")
	a.Settle()
	a.WantFeed("r4", "p2")
	if got := a.Count("_relations"); got != 3 {
		t.Errorf("%d relations, want the 3 of the post that is left", got)
	}
	a.WantVerified()
}

// Any event may come twice, at once or later. The documents stay the same.
func twiceEveryEvent(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 2, CopiedFields: []string{"text"}, InlineLimit: 2, Chunk: 2})
	for i := range 7 {
		a.Follow(fmt.Sprintf("r%d", i), "author")
	}
	a.Post("p1", "author", Day)
	a.Post("p2", "author", Day.Add(time.Hour))
	a.Post("p3", "author", Day.Add(2*time.Hour))
	a.Settle()
	a.Unfollow("r3", "author")
	a.Follow("r7", "author")
	a.Edit("p2", firestore.Update{Path: "text", Value: "new"})
	a.DeletePost("p1")
	a.Settle()
	a.WantFeed("r0", "p3", "p2")
	a.WantFeed("r3")
	a.WantFeed("r7", "p3", "p2")
	a.WantVerified()
	stats := a.Stats()
	if stats.Duplicates != stats.Events || stats.Events == 0 {
		t.Errorf("%d duplicates of %d events, want all", stats.Duplicates, stats.Events)
	}
}

func relationHoldsWhatClientsNeed(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}})
	a.Follow("r1", "author")
	a.Settle()
	a.Post("p1", "author", Day)
	a.Settle()
	doc, err := a.Client.Doc("_relations/p1_00001").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"postId": "p1", "userId": "author", "audience": "author", "indexId": "00001", "indexVersion": a.Data("users/author/followers_index/00001")["version"],
		"followers": []any{"r1"}, "sizeBytes": int64(3), "createdAt": Day, "text": "text of p1",
	}
	if diff := cmp.Diff(want, doc.Data()); diff != "" {
		t.Errorf("relation (-want +got):\n%s", diff)
	}
}

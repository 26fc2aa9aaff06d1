package functions_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/config"
)

func (a *app) edit(post string, updates ...firestore.Update) {
	a.t.Helper()
	a.must(a.Client.Doc("posts/"+post).Update(a.t.Context(), updates))
}

func TestPostEditReachesTheFeed(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{CopiedFields: []string{"text"}, Capacity: 1})
	a.follow("r1", "author")
	a.follow("r2", "author")
	a.post("p1", "author", day)
	a.post("p2", "author", day.Add(time.Hour))
	a.idle()
	a.wantFeed("r1", "p2", "p1")

	a.edit("p1", firestore.Update{Path: "createdAt", Value: day.Add(2 * time.Hour)}, firestore.Update{Path: "text", Value: "new"})
	a.idle()
	a.wantFeed("r1", "p1", "p2")
	for _, relation := range []string{"p1_00001", "p1_00002"} {
		doc, err := a.Client.Doc("_relations/" + relation).Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.Data()["text"]; got != "new" {
			t.Errorf("text of %s is %q, want new", relation, got)
		}
	}
	// A field that goes from the post goes from its relations.
	a.edit("p1", firestore.Update{Path: "text", Value: firestore.Delete})
	a.idle()
	a.wantVerified()
}

func TestEditOfAFieldThatIsNotCopiedCostsNothing(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	a.follow("r1", "author")
	a.post("p1", "author", day)
	a.idle()
	before := a.Meter.Counts()
	a.edit("p1", firestore.Update{Path: "text", Value: "new"})
	a.idle()
	if used := a.Meter.Counts().Minus(before); used.Requests != 0 {
		t.Errorf("an edit of text, which is not copied, cost %v", used)
	}
}

func TestAuthorChange(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 1})
	for i := range 3 {
		a.follow(fmt.Sprintf("old%d", i), "first")
	}
	a.follow("new", "second")
	a.post("p1", "first", day)
	a.idle()
	a.wantFeed("old2", "p1")

	a.edit("p1", firestore.Update{Path: "userId", Value: "second"})
	a.idle()
	for i := range 3 {
		a.wantFeed(fmt.Sprintf("old%d", i))
	}
	a.wantFeed("new", "p1")
	a.wantVerified()
}

func TestDeletedPostLeavesTheFeed(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 2})
	for i := range 5 {
		a.follow(fmt.Sprintf("r%d", i), "author")
	}
	a.post("p1", "author", day)
	a.post("p2", "author", day.Add(time.Hour))
	a.idle()
	a.must(a.Client.Doc("posts/p1").Delete(t.Context()))
	a.idle()
	a.wantFeed("r4", "p2")
	if got := a.count("_relations"); got != 3 {
		t.Errorf("%d relations, want the 3 of the post that is left", got)
	}
	a.wantVerified()
}

// Any event may come twice, at once or later: the documents are the same.
func TestTwiceEveryEvent(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 2, CopiedFields: []string{"text"}, InlineLimit: 2, Chunk: 2})
	for i := range 7 {
		a.follow(fmt.Sprintf("r%d", i), "author")
	}
	a.post("p1", "author", day)
	a.post("p2", "author", day.Add(time.Hour))
	a.post("p3", "author", day.Add(2*time.Hour))
	a.idle()
	a.unfollow("r3", "author")
	a.follow("r7", "author")
	a.edit("p2", firestore.Update{Path: "text", Value: "new"})
	a.must(a.Client.Doc("posts/p1").Delete(t.Context()))
	a.idle()
	a.wantFeed("r0", "p3", "p2")
	a.wantFeed("r3")
	a.wantFeed("r7", "p3", "p2")
	a.wantVerified()
	stats := theMachine(t).Emulator.Broker().Stats(a.ID)
	if stats.Duplicates != stats.Events || stats.Events == 0 {
		t.Errorf("%d duplicates of %d events, want all", stats.Duplicates, stats.Events)
	}
}

func TestRelationHoldsWhatClientsNeed(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{CopiedFields: []string{"text"}})
	a.follow("r1", "author")
	a.idle()
	a.post("p1", "author", day)
	a.idle()
	doc, err := a.Client.Doc("_relations/p1_00001").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"postId": "p1", "userId": "author", "indexId": "00001", "indexVersion": int64(1),
		"followers": []any{"r1"}, "sizeBytes": int64(3), "createdAt": day, "text": "text of p1",
	}
	if diff := cmp.Diff(want, doc.Data()); diff != "" {
		t.Errorf("relation (-want +got):\n%s", diff)
	}
}

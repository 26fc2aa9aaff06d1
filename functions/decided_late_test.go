package functions_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/readers"
)

// A follower's edge is written again, long after the follow: by a merge of index documents, or the
// end of a sync. What came in between and was hidden comes back all the same.
func TestARebuildCountsFromTheFollow(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Timeline: "items", ReaderSettings: true, RelationsOff: true})
	a.Profile("ann", map[string]any{"name": "ann"})
	a.Follow("r1", "ann")
	a.Settle()
	settings := a.Client.Doc("users/r1/settings/feed")
	a.Must(settings.Set(t.Context(), map[string]any{"hide": []string{"*/photo"}}))
	a.Must(a.Client.Doc("posts/p1").Set(t.Context(), map[string]any{"userId": "ann", "kind": "photo", "createdAt": day}))
	a.Settle()
	a.wantShown("r1")
	a.Must(a.Client.Doc("users/r1/following/ann").Update(t.Context(), []firestore.Update{{Path: "movesTo", Value: "00002"}}))
	a.Must(a.Client.Doc("users/r1/following/ann").Update(t.Context(), []firestore.Update{{Path: "movesTo", Value: firestore.Delete}}))
	a.Must(settings.Set(t.Context(), map[string]any{"hide": []string{}}))
	a.Settle()
	a.wantShown("r1", "p1")
}

// What a reader lacks is looked for among newer posts, not among all that those whom they follow have
// ever written.
func TestARebuildDoesNotReadAllPosts(t *testing.T) {
	t.Parallel()
	a := openApp(t, config.Functions{Timeline: "items", ReaderSettings: true, RelationsOff: true})
	const old = 2500
	posts := a.Client.BulkWriter(t.Context())
	for n := range old {
		if _, err := posts.Set(a.Client.Doc(fmt.Sprintf("posts/p%04d", n)), map[string]any{"userId": "ann", "createdAt": day.Add(time.Duration(n) * time.Second)}); err != nil {
			t.Fatal(err)
		}
	}
	posts.End()
	x := a.Instance()
	a.Follow("r1", "ann")
	if err := x.Graph.Follow(t.Context(), "ann", "r1"); err != nil {
		t.Fatal(err)
	}
	a.Must(a.Client.Doc("posts/new").Set(t.Context(), map[string]any{"userId": "ann", "createdAt": day.Add(old * time.Second)}))
	var meter wire.Meter
	found, err := readers.Reaching(t.Context(), a.Instance(meter.Interceptor()).DB, "r1", 10, 0)
	if err != nil || len(found) != 1 || found[0].ID != "new" {
		t.Errorf("found %v, %v; want the new post", found, err)
	}
	if used := meter.Counts(); used.Reads < 1000 || used.Reads > 1100 {
		t.Errorf("it reads %d documents, of %d posts", used.Reads, old)
	}
}

// Many days are cleared side by side.
func TestAReaderHidesAKindOfManyDays(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Timeline: "days", Backfill: 100, ReaderSettings: true, RelationsOff: true})
	a.Profile("ann", map[string]any{"name": "ann"})
	for n := range 24 {
		kind := []string{"photo", "event"}[n/23]
		a.Must(a.Client.Doc(fmt.Sprint("posts/p", n)).Set(t.Context(), map[string]any{"userId": "ann", "kind": kind, "createdAt": day.Add(-time.Duration(n) * 24 * time.Hour)}))
	}
	a.Follow("r1", "ann")
	a.Settle()
	if n := len(a.timeline("r1")); n != 24 {
		t.Fatalf("%d entries, want 24", n)
	}
	a.Must(a.Client.Doc("users/r1/settings/feed").Set(t.Context(), map[string]any{"hide": []string{"*/photo"}}))
	a.Settle()
	a.wantShown("r1", "p23")
}

// Who shows a post that nobody hides costs later posts nothing.
func TestWhoHidesNothingLeavesNothing(t *testing.T) {
	t.Parallel()
	a := openApp(t, config.Functions{Timeline: "items", ReaderSettings: true, RelationsOff: true})
	if err := a.Instance().Timelines.Hide(t.Context(), "r1", "p1"); err != nil {
		t.Fatal(err)
	}
	if docs, err := a.Client.Collection("_hides").Documents(t.Context()).GetAll(); err != nil || len(docs) > 0 {
		t.Errorf("%d documents, %v; want none", len(docs), err)
	}
}

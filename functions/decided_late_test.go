package functions_test

import (
	"fmt"
	"slices"
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

// A purge takes what the account has decided and its comments on posts, but no comments elsewhere, and
// the event of its settings brings nothing back.
func TestAPurgeOfAReaderWhoDecides(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Timeline: "items", ReaderSettings: true, OwnPosts: true, KeepPosts: true, RelationsOff: true})
	a.Profile("ann", map[string]any{"name": "ann"})
	a.Post("p1", "ann", day)
	a.Must(a.Client.Doc("users/ann/settings/feed").Set(t.Context(), map[string]any{"hide": []string{"*/photo"}}))
	a.Must(a.Client.Doc("users/ann/hidden/p2").Set(t.Context(), map[string]any{"createdAt": day}))
	for _, of := range []string{"posts/p2", "videos/v1"} {
		a.Must(a.Client.Doc(of+"/comments/c1").Set(t.Context(), map[string]any{"userId": "ann", "createdAt": day}))
	}
	a.Settle()
	want := []string{"posts/p2/comments/c1: userId", "users/ann/hidden/p2: path", "users/ann/settings/feed: path", "users/ann/timeline/p1: path"}
	traces := a.Traces("ann")
	for _, trace := range want {
		if !slices.Contains(traces, trace) {
			t.Errorf("%s is not among the traces %v", trace, traces)
		}
	}
	a.DeleteAccount("ann")
	a.Settle()
	traces = slices.DeleteFunc(a.Traces("ann"), func(trace string) bool { return trace == "posts/p1: userId" })
	if len(traces) > 0 {
		t.Errorf("after the purge, %v name the account", traces)
	}
	if docs, err := a.Client.GetAll(t.Context(), []*firestore.DocumentRef{a.Client.Doc("videos/v1/comments/c1")}); err != nil || !docs[0].Exists() {
		t.Errorf("a comment on a video is gone, %v", err)
	}
}

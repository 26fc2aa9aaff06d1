package readers_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A follower's edge is written again, long after the follow: by a merge of index documents, or the
// end of a sync. What came in between and was hidden comes back all the same.
func TestRebuildStartsAtFollowTime(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, ReaderSettings: true})
	a.Profile("ann", map[string]any{"name": "ann"})
	a.FollowSince("r1", "ann", stories.Day.Add(-time.Hour))
	a.Settle()
	settings := a.Client.Doc("users/r1/settings/feed")
	a.Must(settings.Set(t.Context(), map[string]any{"hide": []string{"*/photo"}}))
	a.Must(a.Client.Doc("posts/p1").Set(t.Context(), map[string]any{"userId": "ann", "kind": "photo", "createdAt": stories.Day}))
	a.Settle()
	a.WantShown("r1")
	a.Must(a.Client.Doc("users/r1/following/ann").Update(t.Context(), []firestore.Update{{Path: "movesTo", Value: "00002"}}))
	a.Must(a.Client.Doc("users/r1/following/ann").Update(t.Context(), []firestore.Update{{Path: "movesTo", Value: firestore.Delete}}))
	a.Must(settings.Set(t.Context(), map[string]any{"hide": []string{}}))
	a.Settle()
	a.WantShown("r1", "p1")
}

// A rebuild searches missing posts among newer posts, not among all posts of the followed authors.
func TestRebuildReadsOnlyNewerPosts(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, ReaderSettings: true})
	const old = 2500
	posts := a.Client.BulkWriter(t.Context())
	for n := range old {
		if _, err := posts.Set(a.Client.Doc(fmt.Sprintf("posts/p%04d", n)), map[string]any{"userId": "ann", "createdAt": stories.Day.Add(time.Duration(n) * time.Second)}); err != nil {
			t.Fatal(err)
		}
	}
	posts.End()
	x := a.Instance()
	a.Follow("r1", "ann")
	if err := x.Graph.Follow(t.Context(), "ann", "r1"); err != nil {
		t.Fatal(err)
	}
	a.Must(a.Client.Doc("posts/new").Set(t.Context(), map[string]any{"userId": "ann", "createdAt": time.Now()}))
	var meter wire.Meter
	found, err := readers.Reaching(t.Context(), a.Instance(meter.Interceptor()).DB, "r1", 10, 0)
	if err != nil || len(found) != 1 || found[0].ID != "new" {
		t.Errorf("found %v, %v; want the new post", found, err)
	}
	if used := meter.Counts(); used.Reads > 5 {
		t.Errorf("it reads %d documents, of %d posts", used.Reads, old)
	}
}

// Many days are cleared side by side.
func TestHidingKindClearsManyDays(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"days"}, Backfill: 100, ReaderSettings: true})
	a.Profile("ann", map[string]any{"name": "ann"})
	for n := range 24 {
		kind := []string{"photo", "event"}[n/23]
		a.Must(a.Client.Doc(fmt.Sprint("posts/p", n)).Set(t.Context(), map[string]any{"userId": "ann", "kind": kind, "createdAt": stories.Day.Add(-time.Duration(n) * 24 * time.Hour)}))
	}
	a.Follow("r1", "ann")
	a.Settle()
	if n := len(a.Timeline("r1")); n != 24 {
		t.Fatalf("%d entries, want 24", n)
	}
	a.Must(a.Client.Doc("users/r1/settings/feed").Set(t.Context(), map[string]any{"hide": []string{"*/photo"}}))
	a.Settle()
	a.WantShown("r1", "p23")
}

// Showing a post that nobody hides costs later posts nothing.
func TestShowingUnhiddenPostLeavesNoDocument(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, ReaderSettings: true})
	if err := a.Instance().Timelines.Hide(t.Context(), "r1", "p1"); err != nil {
		t.Fatal(err)
	}
	if docs, err := a.Client.Collection("_hides").Documents(t.Context()).GetAll(); err != nil || len(docs) > 0 {
		t.Errorf("%d documents, %v; want none", len(docs), err)
	}
}

// A purge deletes the account's settings, its read position and its comments on posts, but no comments elsewhere.
// The event of its settings restores nothing.
func TestPurgeDeletesReaderSettings(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{Feeds: []string{"items"}, ReaderSettings: true, KeepPosts: true})
	a.Profile("ann", map[string]any{"name": "ann"})
	a.Post("p1", "ann", stories.Day)
	a.Comments("p1", "ann", "g_club", "zoes")
	a.Must(a.Client.Doc("users/ann/settings/feed").Set(t.Context(), map[string]any{"hide": []string{"*/photo"}}))
	a.Must(a.Client.Doc("users/ann/settings/read").Set(t.Context(), map[string]any{"readAt": stories.Day}))
	a.Must(a.Client.Doc("users/ann/hidden/p2").Set(t.Context(), map[string]any{"createdAt": stories.Day}))
	a.Must(a.Client.Doc("users/ann/rates/hidden").Set(t.Context(), map[string]any{"start": stories.Day, "n": 1, "ids": []string{"p2"}, "at": stories.Day}))
	for _, of := range []string{"posts/p2", "videos/v1", "users/bob"} {
		a.Must(a.Client.Doc(of+"/comments/c1").Set(t.Context(), map[string]any{"userId": "ann", "createdAt": stories.Day}))
	}
	a.Must(a.Client.Doc("users/ann/settings/app").Set(t.Context(), map[string]any{"theme": "dark"}))
	a.Settle()
	want := []string{"posts/p1/comments/zoes: thread", "posts/p2/comments/c1: userId", "users/ann/hidden/p2: path", "users/ann/rates/hidden: path", "users/ann/settings/feed: path", "users/ann/settings/read: path", "users/ann/timeline/p1: path"}
	traces := a.Traces("ann")
	for _, trace := range want {
		if !slices.Contains(traces, trace) {
			t.Errorf("%s is not among the traces %v", trace, traces)
		}
	}
	a.DeleteAccount("ann")
	a.Settle()
	traces = slices.DeleteFunc(a.Traces("ann"), func(trace string) bool {
		return trace == "posts/p1: userId" || trace == "posts/p1/comments/zoes: thread" // kept
	})
	if len(traces) > 0 {
		t.Errorf("after the purge, %v name the account", traces)
	}
	for _, apps := range []string{"videos/v1/comments/c1", "users/bob/comments/c1", "users/ann/settings/app"} {
		if docs, err := a.Client.GetAll(t.Context(), []*firestore.DocumentRef{a.Client.Doc(apps)}); err != nil || !docs[0].Exists() {
			t.Errorf("%s, which is the app's, is gone, %v", apps, err)
		}
	}
	// The event of what the account has shown is late, or its job.
	a.Must(nil, a.Instance().Timelines.Decided(t.Context(), "ann", false, true))
	a.Settle()
	if n := a.Count("users/ann/timeline"); n != 0 {
		t.Errorf("after the purge, a rebuild has brought %d posts", n)
	}
}

// Hiding adds no entry, neither by a handler nor by a job.
func TestHidingAddsNoEntry(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, ReaderSettings: true, InlineLimit: 1, Chunk: 1})
	a.Profile("ann", map[string]any{"name": "ann"})
	a.FollowSince("r1", "ann", stories.Day.Add(-time.Hour))
	a.Settle()
	for n := range 4 {
		a.Post(fmt.Sprint("p", n), "ann", stories.Day.Add(time.Duration(n)*time.Hour))
	}
	a.Settle()
	a.Must(a.Client.Doc("users/r1/timeline/p0").Delete(t.Context()))
	a.Must(a.Client.Doc("users/r1/settings/feed").Set(t.Context(), map[string]any{"hide": []string{"nobody/photo"}}))
	a.Settle()
	a.WantShown("r1", "p1", "p2", "p3")
	a.Must(a.Client.Doc("users/r1/settings/feed").Set(t.Context(), map[string]any{"hide": []string{}}))
	a.Settle()
	a.WantShown("r1", "p0", "p1", "p2", "p3")
}

// A comment concerns its author's followers and a group's: one of the two has a damaged directory.
func TestLiftContinuesAfterDamagedAccount(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true})
	a.Group("g_team", "boss")
	a.FollowSince("r1", "g_team", stories.Day.Add(-time.Hour))
	a.Settle()
	a.PostTo("p1", "boss", "g_team", stories.Day)
	a.Settle()
	a.Silence()
	a.Must(a.Client.Doc("users/ann/followers_index/00002").Set(t.Context(), map[string]any{"followers": []string{"r1"}}))
	a.Must(a.Client.Doc("posts/p1/comments/c1").Set(t.Context(), map[string]any{"userId": "ann", "audience": "g_team", "createdAt": time.Now()}))
	if err := a.Instance().Ranking.Comment(t.Context(), "p1", "c1"); !errors.Is(err, schema.ErrDamaged) {
		t.Errorf("the error is %v, want that index documents of ann are damaged", err)
	}
	doc, err := a.Client.Doc("users/r1/timeline/p1").Get(t.Context())
	a.Must(nil, err)
	if at, _ := doc.DataAt("at"); at.(int64) <= stories.Day.UnixMicro() {
		t.Error("the post is not lifted for the group")
	}
}

//go:build long

package accounts_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// mentioned is ada's app, at rest: ada owns the group g_ada, which has the follower fan and
// a post of ada's. She is asked by wisher, and asks locked. bob's post for g_ada names her
// and eve as recipients and in refs.
func mentioned(t *testing.T, cfg schema.Config) *testkit.App {
	t.Helper()
	a := testkit.NewApp(t, cfg)
	a.Profile("ada", map[string]any{"name": "Ada", "closed": true})
	a.Group("g_ada", "ada")
	a.Group("g_other", "bob")
	a.Follow("fan", "g_ada")
	a.Must(a.Client.Doc("users/ada/requests/wisher").Set(t.Context(), map[string]any{"followerId": "wisher", "createdAt": stories.Day}))
	a.Must(a.Client.Doc("users/locked/requests/ada").Set(t.Context(), map[string]any{"followerId": "ada", "createdAt": stories.Day}))
	a.Must(a.Client.Doc("users/locked/requests/bob").Set(t.Context(), map[string]any{"followerId": "bob", "createdAt": stories.Day}))
	a.PostTo("adas", "ada", "g_ada", stories.Day, "eve")
	a.PostTo("bobs", "bob", "g_ada", stories.Day.Add(time.Hour), "ada", "eve")
	a.Edit("bobs", firestore.Update{Path: "refs", Value: []string{"ada", "topic"}})
	a.PostTo("ref", "bob", "g_other", stories.Day.Add(-time.Hour), "eve")
	a.Edit("ref", firestore.Update{Path: "refs", Value: []string{"ada"}})
	a.Edit("ref", firestore.Update{Path: "refNames", Value: map[string]any{"ada": "Ada", "topic": "Topic"}})
	a.Settle()
	return a
}

var mentionedReceipt = map[string]int64{
	"followers": 0, "following": 0, "indexDocuments": 0, "relations": 2, "requests": 1, "requested": 1, "timeline": 0, "timelines": 0, "delivered": 0, "settings": 0, "hidden": 0, "rates": 0, "comments": 0,
	"posts": 1, "mentions": 2, "groups": 1, "blocked": 0, "likes": 0, "notifications": 0,
}

// wantForgotten checks what others' documents say after ada has gone.
func wantForgotten(a *testkit.App) {
	a.T.Helper()
	a.WantGone("ada")
	bobs := a.Data("posts/bobs")
	testkit.Same(a.T, "recipients of bob's post", []any{"eve"}, bobs["to"])
	testkit.Same(a.T, "refs of bob's post", []any{"topic"}, bobs["refs"])
	testkit.Same(a.T, "the group", map[string]any{"name": "Group g_ada", "closed": false, "post": "members"}, lacking(a.Data("users/g_ada"), "followers_index", "latestFollowersIndex"))
	if names, _ := a.Data("posts/ref")["refNames"].(map[string]any); names["ada"] != nil {
		a.T.Errorf("copied names of bob's other post: %v", names)
	}
	if owner := a.Data("users/g_other")["ownerId"]; owner != "bob" {
		a.T.Errorf("the owner of bob's group is %v", owner)
	}
	if n := a.Count("users/locked/requests"); n != 1 {
		a.T.Errorf("%d requests of others are left, want 1", n)
	}
}

func lacking(data map[string]any, fields ...string) map[string]any {
	for _, f := range fields {
		delete(data, f)
	}
	return data
}

// A purge removes the account's id from the documents of others. Groups and posts of others stay.
func TestPurgeRemovesMentionsFromOthersDocuments(t *testing.T) {
	t.Parallel()
	a := mentioned(t, schema.Config{NoOwnPosts: true, RefFields: []string{"name=refNames"}})
	a.Must(a.Client.Doc("requests/r1").Set(t.Context(), map[string]any{"by": "ada"})) // of another part of the app
	a.DeleteAccount("ada")
	a.Settle()
	testkit.Same(t, "the receipt", mentionedReceipt, a.PurgeJob().Counts)
	wantForgotten(a)
	a.WantVerified()
	if a.Data("requests/r1") == nil {
		t.Error("the app's own request is gone")
	}
	a.WantFeed("fan", "bobs")
	a.WantFeed("eve", "bobs", "ref")
}

// The posts that name an account are others', and may be too large for one transaction.
func TestPurgeSplitsMentionsTooLargeForOneTransaction(t *testing.T) {
	t.Parallel()
	a := mentioned(t, schema.Config{NoOwnPosts: true, RefFields: []string{"name=refNames"}})
	a.Silence()
	a.DeleteAccount("ada")
	several := func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		return ok && len(commit.GetWrites()) > 1 && testkit.CommitOf("posts/")(req)
	}
	a.OK(a.Worker(0, testkit.Refusing(several)).Purge(a, "ada"))
	for _, post := range []string{"bobs", "ref"} { // no event came
		testkit.NoError(t, a.Instance().Deliveries.Post(t.Context(), post))
	}
	wantForgotten(a)
}

// Kept posts stay where they are: in the feeds of groups and recipients.
func TestPurgeWithKeepPostsLeavesPostsInFeeds(t *testing.T) {
	t.Parallel()
	a := mentioned(t, schema.Config{NoOwnPosts: true, KeepPosts: true, RefFields: []string{"name=refNames"}})
	a.DeleteAccount("ada")
	a.Settle()
	a.WantVerified()
	a.WantFeed("fan", "bobs", "adas")
	a.WantFeed("eve", "bobs", "adas", "ref")
	for _, trace := range a.Traces("ada") {
		if !strings.HasSuffix(trace, ": userId") {
			t.Errorf("left: %s", trace)
		}
	}
}

// A client deletes a group and writes its tombstone in one batch; a server deletes only the group's
// document. In both cases the posts stay, in no feed by the group, and nobody can join.
func TestGroupPurgeKeepsPostsAndPreventsJoining(t *testing.T) {
	t.Parallel()
	for name, tombstone := range map[string]bool{"by a client": true, "by a server": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 1, TombstoneKey: "a-secret-of-16-letters"})
			a.Group("g_team", "boss")
			for _, member := range []string{"m1", "m2"} {
				a.Follow(member, "g_team")
				a.Settle()
			}
			a.PostTo("ours", "m1", "g_team", stories.Day, "eve")
			a.Edit("ours", firestore.Update{Path: "refs", Value: []string{"g_team"}})
			a.Settle()
			a.WantFeed("m2", "ours")
			batch := a.Client.Batch().Delete(a.Client.Doc("users/g_team")) //nolint:staticcheck // atomic, as clients write
			if tombstone {
				batch.Set(a.Client.Doc("_tombstones/g_team"), map[string]any{})
			}
			if _, err := batch.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			a.Settle()
			want := map[string]int64{
				"followers": 2, "following": 0, "indexDocuments": 2, "relations": 2, "requests": 0, "requested": 0, "timeline": 0, "timelines": 0, "delivered": 0, "settings": 0, "hidden": 0, "rates": 0, "comments": 0,
				"posts": 0, "mentions": 0, "groups": 0, "blocked": 0, "likes": 0, "notifications": 0,
			}
			testkit.Same(t, "the receipt", want, a.Job("purge:g_team").Counts)
			a.Follow("late", "g_team")
			a.Settle()
			if a.Follows("late", "g_team") {
				t.Error("somebody joined a group that is gone")
			}
			if data := a.Data("_tombstones/g_team"); data == nil || len(data) > 0 {
				t.Errorf("the tombstone is %v", data)
			}
			if n := a.Count("_tombstones"); n != 1 {
				t.Errorf("%d tombstones, want the group's alone: it needs no key", n)
			}
			want2 := []string{"_functions/purge:g_team: path", "posts/ours: audience", "posts/ours: refs"}
			testkit.Same(t, "traces", want2, slices.Sorted(slices.Values(a.Traces("g_team"))))
			a.WantVerified()
			a.WantFeed("m2")
			a.WantFeed("eve", "ours")
		})
	}
}

//go:build long

package accounts_test

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/tallies"
	"example.com/relationindex/testkit"
)

// tallied has numbers and notifications, and pages of one document.
func tallied() schema.Config {
	return schema.Config{NoOwnPosts: true, Chunk: 1, Counts: true, Notifications: true}
}

// talliedReceipt is that of ada below.
var talliedReceipt = map[string]int64{
	"followers": 1, "following": 1, "indexDocuments": 1, "relations": 3, "requests": 0, "requested": 1, "timeline": 0, "timelines": 0, "delivered": 0, "settings": 0, "hidden": 0, "rates": 0,
	"comments": 1, "posts": 2, "mentions": 1, "groups": 0, "blocked": 0, "likes": 2, "notifications": 4,
}

// sinceWhen is when ada began to follow star: not today, which may end during a test.
var sinceWhen = time.Now().Add(-48 * time.Hour)

// like writes a like as clients do.
func like(a *testkit.App, p, who string) {
	a.T.Helper()
	a.Must(a.Client.Doc("posts/"+p+"/likes/"+who).Set(a.T.Context(), map[string]any{"userId": who, "postId": p, "createdAt": firestore.ServerTimestamp}))
}

// talliedAda are the documents of an app in which ada likes, comments and follows, and others do the same with her and her posts. It
// leaves out her profile.
func talliedAda(t *testing.T) map[string]map[string]any {
	t.Helper()
	a := testkit.NewApp(t, tallied())
	for _, u := range []string{"ada", "bob", "fan", "star"} {
		a.Profile(u, map[string]any{"name": u})
	}
	a.Follow("fan", "ada")
	a.FollowSince("ada", "star", sinceWhen)
	a.Settle()
	a.PostTo("adas", "ada", "ada", time.Now(), "bob")
	a.PostTo("second", "ada", "ada", time.Now())
	a.PostTo("bobs", "bob", "bob", time.Now(), "ada")
	a.Must(a.Client.Doc("users/bob/requests/ada").Set(t.Context(), map[string]any{"followerId": "ada", "createdAt": time.Now()}))
	for post, by := range map[string][]string{"adas": {"ada", "bob", "fan"}, "bobs": {"ada", "fan"}} {
		for _, who := range by {
			like(a, post, who)
		}
	}
	for post, who := range map[string]string{"adas": "fan", "bobs": "ada"} {
		author := map[string]string{"adas": "ada", "bobs": "bob"}[post]
		a.Must(a.Client.Doc("posts/"+post+"/comments/c").Set(t.Context(), map[string]any{"userId": who, "thread": author + "/" + author, "createdAt": firestore.ServerTimestamp}))
	}
	a.Settle()
	a.WantVerified()
	if n := a.Count("users/ada/notifications"); n != 4 { // like.adas, comment.adas, mention.…, follow.…
		t.Fatalf("ada is told of %d, want 4", n)
	}
	documents := testkit.Documents(t, a.Client, nil)
	delete(documents, "users/ada")
	return documents
}

// events does what the events of ada's documents do that a purge deletes, and those of the posts that it changes.
func events(ctx context.Context, x *social.System) error {
	return errors.Join(
		x.Deliveries.Post(ctx, "adas"), x.Deliveries.Post(ctx, "second"), x.Deliveries.Post(ctx, "bobs"),
		x.Accounts.Drop(ctx, "adas", "1", ""), x.Accounts.Drop(ctx, "second", "1", ""),
		x.Graph.Follow(ctx, "ada", "fan"), x.Graph.Follow(ctx, "star", "ada"),
		x.Tallies.Liked(ctx, "adas"), x.Tallies.Liked(ctx, "bobs"), x.Tallies.Commented(ctx, "bobs"),
		x.Tallies.Followed(ctx, "star", "ada", tallies.DayOf(sinceWhen)),
		x.Tallies.Tally(ctx, tallies.Followers("star"), tallies.Following("fan"), tallies.Followers("ada"), tallies.Following("ada"), tallies.Posts("ada"),
			tallies.Notification("bob", tallies.Mention, "ada"), tallies.Notification("bob", tallies.Request, ""),
			tallies.Notification("ada", tallies.Like, "adas"), tallies.Notification("ada", tallies.Mention, "bob")))
}

// wantTallied checks what is left of ada, and the numbers of others.
func wantTallied(a *testkit.App) {
	a.T.Helper()
	a.OK(events(a.T.Context(), a.Instance()))
	testkit.Same(a.T, "the receipt", talliedReceipt, a.PurgeJob().Counts)
	a.WantGone("ada")
	for path, want := range map[string]map[string]any{
		"posts/bobs": {"likes": int64(1), "comments": int64(0)}, "users/star": {"followers": int64(0)}, "users/fan": {"following": int64(0)},
	} {
		got, _ := a.Data(path)["counts"].(map[string]any)
		maps.DeleteFunc(got, func(name string, _ any) bool { return want[name] == nil })
		testkit.Same(a.T, path, want, got)
	}
	for collection, want := range map[string]int{"users/ada/notifications": 0, "posts/adas/likes": 0, "posts/adas/comments": 0} {
		if n := a.Count(collection); n != want {
			a.T.Errorf("%s has %d documents, want %d", collection, n, want)
		}
	}
	for u, want := range map[string]int{"star": 0, "bob": 1} { // bob is told that fan likes his post
		docs, err := a.Client.Collection("users/"+u+"/notifications").OrderBy("at", firestore.Desc).Documents(a.T.Context()).GetAll()
		if err != nil || len(docs) != want {
			a.T.Errorf("%s has %d notifications, %v; want %d", u, len(docs), err, want)
		}
	}
	a.WantVerified()
}

// A server writes a like on a deleted post, which the rules allow no client. Like such a comment it stays, is
// not counted, and notifies nobody. The purge of its account deletes it.
func TestServerLikeOnDeletedPostIsNotCounted(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, tallied())
	for _, u := range []string{"ada", "bob"} {
		a.Profile(u, map[string]any{"name": u})
	}
	a.Post("p", "bob", time.Now())
	like(a, "p", "ada")
	a.Settle()
	a.DeletePost("p")
	a.Settle()
	if n := a.Count("posts/p/likes"); n != 0 {
		t.Errorf("%d likes are left of a deleted post", n)
	}
	like(a, "p", "ada")
	a.Settle()
	if likes, told := a.Count("posts/p/likes"), a.Count("users/bob/notifications"); likes != 1 || told != 0 {
		t.Errorf("there are %d likes, and %d notifications; want the like alone", likes, told)
	}
	a.WantVerified()
	a.DeleteAccount("ada")
	a.Settle()
	a.WantGone("ada")
}

// The event of a like arrives after the purge of its account. It counts the other likes, and restores nothing of the account.
func TestLateLikeEventRestoresNothingOfPurgedAccount(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, tallied())
	for _, u := range []string{"ada", "bob", "fan"} {
		a.Profile(u, map[string]any{"name": u})
	}
	a.Post("p", "bob", time.Now())
	like(a, "p", "fan")
	like(a, "p", "ada")
	a.Settle()
	a.DeleteAccount("ada")
	a.Settle()
	a.OK(a.Handlers().Function("OnLikeWritten")(t.Context(), testkit.EventOf(t, a.ID, "posts/p/likes/ada")))
	a.Settle()
	a.WantGone("ada")
	if likes := a.Data("posts/p")["counts"].(map[string]any)["likes"]; likes != int64(1) {
		t.Errorf("the post has %v likes, want that of fan", likes)
	}
	a.WantVerified()
}

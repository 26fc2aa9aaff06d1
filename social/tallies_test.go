package social_test

import (
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/stories"
)

// Numbers and notifications match the documents of clients, even with duplicate events, and return to nothing.
func TestTalliesMatchDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"once", "events come twice"} { // the emulator goes by the name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, both(), "eve", "ann", "ben")
			a.Follow("ann", "eve")
			a.Settle()
			a.Follow("ben", "eve")
			a.post("p", "eve", "eve", "ben")
			a.set("users/ben/requests/ann", map[string]any{"followerId": "ann", "createdAt": time.Now()})
			a.Settle()
			a.like("p", "ann", "eve", "ben") // one's own is counted, and told to nobody
			a.comment("p", "c1", "ben", "eve/eve")
			a.comment("p", "c2", "eve", "eve/eve")
			a.comment("p", "c3", "ann", "eve/g_other") // of another thread
			a.Settle()
			a.wantCounts("users/eve", map[string]int64{"followers": 2, "posts": 1})
			a.wantCounts("users/ann", map[string]int64{"following": 1})
			a.wantCounts("posts/p", map[string]int64{"likes": 3, "comments": 2})
			a.wantNotes("eve", map[string]note{
				"follow." + today(): {2, []string{"ben", "ann"}}, "like.p": {2, []string{"ben", "ann"}}, "comment.p": {1, []string{"ben"}},
			})
			a.wantNotes("ben", map[string]note{a.mentionBy("eve"): {1, []string{"eve"}}, "request.": {1, []string{"ann"}}})
			a.WantVerified()

			a.Unfollow("ann", "eve")
			a.drop("posts/p/likes/ben")
			a.drop("posts/p/comments/c1")
			a.drop("users/ben/requests/ann")
			a.Edit("p", firestore.Update{Path: "to", Value: []string{}})
			a.Settle()
			a.wantCounts("posts/p", map[string]int64{"likes": 2, "comments": 1})
			a.wantNotes("eve", map[string]note{"follow." + today(): {1, []string{"ben"}}, "like.p": {1, []string{"ann"}}})
			a.wantNotes("ben", map[string]note{})
			a.DeletePost("p")
			a.Unfollow("ben", "eve")
			a.Settle()
			a.wantCounts("users/eve", map[string]int64{})
			a.wantCounts("users/ben", map[string]int64{})
			a.wantNotes("eve", map[string]note{})
			if left := a.Count("posts/p/likes"); left > 0 {
				t.Errorf("%d likes are left of the post", left)
			}
			a.WantVerified()
		})
	}
}

// A post that is hidden is in no number of its audience, and tells nobody whom it names.
func TestHiddenPostIsNotCounted(t *testing.T) {
	t.Parallel()
	a := newApp(t, both(), "eve", "ann", "g_team")
	a.post("p", "eve", "g_team", "ann")
	a.Settle()
	a.wantCounts("users/g_team", map[string]int64{"posts": 1})
	a.wantNotes("ann", map[string]note{a.mentionBy("eve"): {1, []string{"eve"}}})
	a.Edit("p", firestore.Update{Path: "hidden", Value: true})
	a.Settle()
	a.wantCounts("users/g_team", map[string]int64{})
	a.wantNotes("ann", map[string]note{})
	a.Edit("p", firestore.Update{Path: "hidden", Value: false}, firestore.Update{Path: "audience", Value: "eve"})
	a.Settle()
	a.wantCounts("users/eve", map[string]int64{"posts": 1})
	a.wantNotes("ann", map[string]note{a.mentionBy("eve"): {1, []string{"eve"}}})
	a.WantVerified()
}

// Notifications of likes and comments go when their post is hidden, and come back with it.
func TestHiddenPostTakesItsNotifications(t *testing.T) {
	t.Parallel()
	a := newApp(t, both(), "eve")
	a.post("p", "eve", "eve")
	a.like("p", "ann")
	a.comment("p", "c1", "ann", "eve/eve")
	a.Settle()
	want := map[string]note{"like.p": {1, []string{"ann"}}, "comment.p": {1, []string{"ann"}}}
	a.wantNotes("eve", want)
	a.Edit("p", firestore.Update{Path: "hidden", Value: true})
	a.Settle()
	a.wantNotes("eve", map[string]note{})
	a.WantVerified()
	a.Edit("p", firestore.Update{Path: "hidden", Value: false})
	a.Settle()
	a.wantNotes("eve", want)
	a.WantVerified()
}

// A notification names the newest five, each once, and nobody whom the account blocks.
func TestActors(t *testing.T) {
	t.Parallel()
	a := newApp(t, both(), "eve")
	a.post("p", "eve", "eve")
	a.post("q", "eve", "eve")
	a.like("p", "l1", "l2", "l3", "eve", "l4", "l5", "l6", "l7")
	a.like("q", "l7")
	a.Settle()
	for n := range 8 {
		a.comment("p", string(rune('a'+n)), []string{"zoe", "eve"}[n%2], "eve/eve")
	}
	a.Settle()
	want := map[string]note{"like.p": {7, []string{"l7", "l6", "l5", "l4", "l3"}}, "like.q": {1, []string{"l7"}}, "comment.p": {4, []string{"zoe"}}}
	a.wantNotes("eve", want)
	a.Block("eve", "l7")
	a.Settle()
	a.wantNotes("eve", map[string]note{"like.p": {7, []string{"l6", "l5", "l4", "l3", "l2"}}, "comment.p": {4, []string{"zoe"}}})
	a.WantVerified()
	a.Unblock("eve", "l7")
	a.Settle()
	a.wantNotes("eve", want) // also like.q, which told of nobody else
	a.like("q", "l8")
	a.Settle()
	want["like.q"] = note{2, []string{"l8", "l7"}}
	a.wantNotes("eve", want)
	a.WantVerified()
}

// Posts and kinds that a reader hides cause no notification from then on.
func TestHiddenItemsCauseNoNotification(t *testing.T) {
	t.Parallel()
	cfg := both()
	cfg.ReaderSettings = true
	a := newApp(t, cfg, "eve")
	a.set("posts/p", map[string]any{"userId": "eve", "audience": "eve", "hidden": false, "createdAt": time.Now(), "kind": "photo"})
	a.like("p", "ann", "ben")
	a.Settle()
	a.set("users/eve/settings/feed", map[string]any{"hide": []string{"ben/photo"}})
	a.Settle()
	a.wantNotes("eve", map[string]note{"like.p": {2, []string{"ann"}}})
	a.WantVerified()
	a.set("users/eve/settings/feed", map[string]any{"hide": []string{}})
	a.Settle()
	a.wantNotes("eve", map[string]note{"like.p": {2, []string{"ben", "ann"}}})
}

// Numbers are only in documents that exist, and notifications below profiles; neither makes an account.
func TestTalliesCreateNoMissingAccountOrPost(t *testing.T) {
	t.Parallel()
	a := newApp(t, both())
	a.Follow("ann", "nobody")
	a.like("none", "ann")
	a.comment("none", "c", "ann", "nobody/nobody")
	a.post("p", "nobody", "nobody", "other")
	a.like("p", "ann")
	a.Settle()
	for _, path := range []string{"users/ann", "users/other", "posts/none"} {
		if docs, err := a.Client.GetAll(t.Context(), []*firestore.DocumentRef{a.Client.Doc(path)}); err != nil || docs[0].Exists() {
			t.Errorf("%s exists, %v", path, err)
		}
	}
	a.wantCounts("posts/p", map[string]int64{"likes": 1})
	a.wantNotes("nobody", map[string]note{})
	a.wantNotes("other", map[string]note{})
}

// Acts older than 90 days cause no notification.
func TestOldActsAreNotNotified(t *testing.T) {
	t.Parallel()
	a := newApp(t, both(), "eve")
	a.set("users/eve/followers/ann", map[string]any{"createdAt": stories.Day.AddDate(-1, 0, 0)})
	a.set("users/eve/followers/ben", map[string]any{"createdAt": time.Now().AddDate(0, 0, -80)})
	a.set("users/eve/followers/imported", map[string]any{})
	a.set("users/eve/followers/odd", map[string]any{"createdAt": schema.LatestTime})
	a.Settle()
	a.wantCounts("users/eve", map[string]int64{"followers": 4})
	a.drop("users/eve/followers/odd") // whose day is told
	a.Settle()
	a.wantNotes("eve", map[string]note{"follow." + time.Now().UTC().AddDate(0, 0, -80).Format(time.DateOnly): {1, []string{"ben"}}})
	a.WantVerified()
}

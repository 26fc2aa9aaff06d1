package social_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// seen returns the time that a client stores when its user has seen all notifications, as far as the user has.
func (a app) seen(u string) time.Time {
	a.T.Helper()
	docs, err := a.Client.Collection("users/"+u+"/notifications").OrderBy("at", firestore.Desc).Limit(1).Documents(a.T.Context()).GetAll()
	if err != nil || len(docs) == 0 {
		a.T.Fatalf("%s has no notification, %v", u, err)
	}
	return docs[0].Data()["at"].(time.Time)
}

// new returns how many notifications a badge counts.
func (a app) new(u string, since time.Time) (n int) {
	a.T.Helper()
	docs, err := a.Client.Collection("users/"+u+"/notifications").Where("at", ">", since).Documents(a.T.Context()).GetAll()
	a.OK(err)
	return len(docs)
}

// The badge lights once when somebody acts, however late the act comes, and once a day for one person's acts on one object.
// It does not light for an act that was seen, whatever is counted again.
func TestBadge(t *testing.T) {
	t.Parallel()
	unlike := func(a app, who string) { a.drop("posts/p/likes/" + who) }
	request := map[string]any{"followerId": "ann", "createdAt": firestore.ServerTimestamp}
	to := func(people ...string) firestore.Update { return firestore.Update{Path: "to", Value: people} }
	old := func(a app, id string, age time.Duration, to ...string) {
		a.set("posts/"+id, map[string]any{"userId": "ann", "audience": "ann", "hidden": false, "createdAt": time.Now().Add(-age), "to": append([]string{}, to...)})
	}
	type step func(app)
	for name, c := range map[string]struct {
		before, then []step // before and after eve has looked
		want         int
	}{
		"a like":                    {nil, []step{func(a app) { a.like("p", "ann") }}, 1},
		"the same like again":       {[]step{func(a app) { a.like("p", "ann") }}, []step{func(a app) { a.OK(a.Instance().Tallies.Liked(a.T.Context(), "p")) }}, 0},
		"like, unlike, like":        {[]step{func(a app) { a.like("p", "ann") }}, []step{func(a app) { unlike(a, "ann") }, func(a app) { a.like("p", "ann") }}, 0},
		"beside another's like":     {[]step{func(a app) { a.like("p", "ben", "ann") }}, []step{func(a app) { unlike(a, "ann") }, func(a app) { a.like("p", "ann") }}, 0},
		"another's like in between": {[]step{func(a app) { a.like("p", "ann") }}, []step{func(a app) { unlike(a, "ann") }, func(a app) { a.like("p", "ben") }}, 1},
		"a like that comes late": {[]step{func(a app) { a.like("p", "ann") }}, []step{func(a app) {
			a.set("posts/p/likes/ben", map[string]any{"userId": "ben", "postId": "p", "createdAt": time.Now().Add(-time.Hour)})
		}}, 1},
		"a late like behind five": {[]step{func(a app) { a.like("p", "l1", "l2", "l3", "l4", "l5") }}, []step{func(a app) {
			a.set("posts/p/likes/ben", map[string]any{"userId": "ben", "postId": "p", "createdAt": time.Now().Add(-time.Hour)})
		}}, 1},
		"an imported like": {[]step{func(a app) { a.like("p", "ann") }}, []step{func(a app) {
			a.drop("posts/p/likes/ann")
			a.Settle()
			a.set("posts/p/likes/ben", map[string]any{"userId": "ben", "postId": "p", "createdAt": time.Now().AddDate(0, 0, -30)})
		}}, 0},
		"an older like moves up":      {[]step{func(a app) { a.like("p", "l1", "l2", "l3", "l4", "l5", "l6") }}, []step{func(a app) { unlike(a, "l6") }}, 0},
		"follow, unfollow, follow":    {[]step{func(a app) { a.Follow("ann", "eve") }}, []step{func(a app) { a.Unfollow("ann", "eve") }, func(a app) { a.Follow("ann", "eve") }}, 0},
		"ask, take back, ask":         {[]step{func(a app) { a.set("users/eve/requests/ann", request) }}, []step{func(a app) { a.drop("users/eve/requests/ann") }, func(a app) { a.set("users/eve/requests/ann", request) }}, 0},
		"comment, delete, comment":    {[]step{func(a app) { a.comment("p", "c1", "ann", "eve/eve") }}, []step{func(a app) { a.drop("posts/p/comments/c1") }, func(a app) { a.comment("p", "c2", "ann", "eve/eve") }}, 0},
		"her second comment":          {[]step{func(a app) { a.comment("p", "c1", "ann", "eve/eve") }}, []step{func(a app) { a.comment("p", "c2", "ann", "eve/eve") }}, 0},
		"comments by her and another": {[]step{func(a app) { a.comment("p", "c1", "ann", "eve/eve") }}, []step{func(a app) { a.comment("p", "c2", "ann", "eve/eve") }, func(a app) { a.comment("p", "c3", "ben", "eve/eve") }}, 1},
		"a block and its end":         {[]step{func(a app) { a.like("p", "ann") }}, []step{func(a app) { a.Block("eve", "ann") }, func(a app) { a.Unblock("eve", "ann") }}, 0},
		"the post is hidden for a while": {[]step{func(a app) { a.like("p", "ann"); a.comment("p", "c1", "ann", "eve/eve") }}, []step{
			func(a app) { a.Edit("p", firestore.Update{Path: "hidden", Value: true}) },
			func(a app) { a.Edit("p", firestore.Update{Path: "hidden", Value: false}) },
		}, 0},
		"a post written offline": {nil, []step{func(a app) { old(a, "q", time.Hour, "eve") }}, 1},
		"a mention by an edit":   {[]step{func(a app) { old(a, "q", 100*24*time.Hour) }}, []step{func(a app) { a.Edit("q", to("eve")) }}, 1},
		"another kind of an old post": {[]step{func(a app) {
			old(a, "q", 100*24*time.Hour, "eve")
			a.Settle()
			a.drop("users/eve/notifications/" + a.mentionBy("ann"))
		}}, []step{func(a app) {
			a.Edit("q", firestore.Update{Path: "kind", Value: "photo"})
		}}, 0},
		"two mentions by one author":       {[]step{func(a app) { a.post("q1", "ann", "ann", "eve") }}, []step{func(a app) { a.post("q2", "ann", "ann", "eve") }, func(a app) { old(a, "q3", time.Hour, "eve") }}, 0},
		"a mention after one that is gone": {[]step{func(a app) { a.post("q1", "ann", "ann", "eve") }}, []step{func(a app) { a.DeletePost("q1") }, func(a app) { a.post("q2", "ann", "ann", "eve") }}, 0},
		"mentions by two authors":          {[]step{func(a app) { a.post("q1", "ann", "ann", "eve") }}, []step{func(a app) { a.post("q2", "ben", "ben", "eve") }}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, both(), "eve", "ann", "ben")
			a.post("p", "eve", "eve")
			a.post("other", "eve", "eve")
			for _, step := range c.before {
				step(a)
				a.Settle()
			}
			a.like("other", "ben") // the newest of what eve has seen
			a.Settle()
			seen, told := a.seen("eve"), map[string]time.Time{}
			for n := range len(c.then) + 1 {
				docs, err := a.Client.Collection("users/eve/notifications").OrderBy("at", firestore.Desc).Documents(t.Context()).GetAll()
				a.OK(err)
				for _, doc := range docs {
					at := doc.Data()["at"].(time.Time)
					if at.Before(told[doc.Ref.ID]) {
						t.Errorf("%s moves from %v back to %v", doc.Ref.ID, told[doc.Ref.ID], at)
					}
					told[doc.Ref.ID] = at
				}
				if n < len(c.then) {
					c.then[n](a)
					a.Settle()
				}
			}
			if n := a.new("eve", seen); n != c.want {
				t.Errorf("the badge shows %d, want %d", n, c.want)
			}
			a.WantVerified()
		})
	}
}

// Who acts again on another day is new again.
func TestBadgeLightsOnAnotherDay(t *testing.T) {
	t.Parallel()
	a := openApp(t, "eve", "ann")
	a.post("p", "eve", "")
	a.like("p", "ann")
	a.begin(a.liked(a.Instance().Tallies))()
	seen := a.seen("eve")
	for _, ahead := range []time.Duration{0, 24 * time.Hour} {
		x := a.Worker(ahead).Index.Tallies
		a.drop("posts/p/likes/ann")
		a.begin(a.liked(x))()
		a.like("p", "ann")
		a.begin(a.liked(x))()
		if n := a.new("eve", seen); n != int(ahead/(24*time.Hour)) {
			t.Errorf("%v later, the badge shows %d", ahead, n)
		}
	}
}

// An author's mentions of one person are one notification of the newest post, whatever is hidden or deleted.
func TestMentionsByOneAuthorAreOneNotification(t *testing.T) {
	t.Parallel()
	a := newApp(t, schema.Config{NoOwnPosts: true, Counts: true, Notifications: true, Feeds: []string{"items"}}, "eve", "ann")
	const posts = 12
	for n := range posts {
		a.post(fmt.Sprintf("q%02d", n), "ann", "ann", "eve")
	}
	a.Settle()
	want := func(count int64, object string) {
		t.Helper()
		a.wantNotes("eve", map[string]note{a.mentionBy("ann"): {count, []string{"ann"}}})
		if got := a.Data("users/eve/notifications/" + a.mentionBy("ann"))["object"]; got != object {
			t.Errorf("the notification is of %v, want %v", got, object)
		}
		a.WantVerified()
	}
	want(posts, "q11")
	if n := a.Count("users/eve/timeline"); n != posts {
		t.Errorf("%d posts have reached eve, want %d", n, posts)
	}
	a.Edit("q11", firestore.Update{Path: "hidden", Value: true})
	a.DeletePost("q10")
	a.Edit("q09", firestore.Update{Path: "to", Value: []string{}})
	a.Settle()
	want(posts-2, "q08") // with the hidden one
	a.Edit("q11", firestore.Update{Path: "hidden", Value: false})
	a.Settle()
	want(posts-2, "q11")
	a.set("posts/q12", map[string]any{"userId": "ann", "audience": "ann", "hidden": true, "createdAt": time.Now(), "to": []string{"eve"}})
	a.Settle()
	want(posts-1, "q11")
	for n := range posts + 1 {
		a.DeletePost(fmt.Sprintf("q%02d", n))
	}
	a.Settle()
	a.wantNotes("eve", map[string]note{})
	a.WantVerified()
}

package stories

import (
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Group writes a group with an owner. Members post in it.
func (a *App) Group(id, owner string) {
	a.T.Helper()
	a.Profile(id, map[string]any{"name": "Group " + id, "ownerId": owner, "closed": false, "post": "members"})
}

// PostTo writes a post with an audience, and with the people named in `to`.
func (a *App) PostTo(id, author, audience string, createdAt time.Time, to ...string) {
	a.T.Helper()
	fields := map[string]any{"userId": author, "audience": audience, "hidden": false, "createdAt": createdAt, "text": "text of " + id}
	if len(to) > 0 {
		fields["to"] = to
	}
	a.Must(a.Client.Doc("posts/"+id).Set(a.T.Context(), fields))
}

// audience returns an update of a post's audience.
func audience(a string) firestore.Update { return firestore.Update{Path: "audience", Value: a} }

// hidden returns an update that hides a post, or shows it again.
func hidden(is bool) firestore.Update { return firestore.Update{Path: "hidden", Value: is} }

// A post to a group reaches the group's followers, not its author's. That holds for followers from
// before and after the post.
func aPostToAGroup(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 2, CopiedFields: []string{"text"}})
	a.Group("g_team", "boss")
	for _, member := range []string{"m1", "m2", "m3", "author"} {
		a.Follow(member, "g_team")
	}
	a.Follow("fan", "author")
	a.Settle()
	a.Post("mine", "author", Day)
	a.PostTo("ours", "author", "g_team", Day.Add(time.Hour))
	a.Settle()
	a.WantFeed("fan", "mine")
	for _, member := range []string{"m1", "m2", "m3", "author"} {
		a.WantFeed(member, "ours")
	}
	a.Follow("m4", "g_team")
	a.Follow("late", "author")
	a.Unfollow("m1", "g_team")
	a.Settle()
	a.WantFeed("m4", "ours")
	a.WantFeed("late", "mine")
	a.WantFeed("m1")
	a.WantVerified()
}

// A post whose audience changes leaves the feeds of the old audience, and enters those of the new one.
func anAudienceChanges(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 1})
	a.Group("g_a", "boss")
	a.Group("g_b", "boss")
	for _, f := range []string{"a1", "a2", "both"} {
		a.Follow(f, "g_a")
	}
	for _, f := range []string{"b1", "both"} {
		a.Follow(f, "g_b")
	}
	a.Follow("fan", "author")
	a.PostTo("p", "author", "g_a", Day)
	a.Settle()
	a.WantFeed("a1", "p")
	a.WantFeed("b1")
	for _, step := range []struct {
		to   firestore.Update
		sees []string
	}{
		{audience("g_b"), []string{"b1", "both"}},
		{audience("author"), []string{"fan"}},
		{audience(""), nil},
		{audience("g_none"), nil},
		{audience("g_a"), []string{"a1", "a2", "both"}},
		{hidden(true), nil},
		{audience("g_b"), nil},
		{hidden(false), []string{"b1", "both"}},
		{firestore.Update{Path: "audience", Value: firestore.Delete}, []string{"fan"}},
	} {
		a.Edit("p", step.to)
		a.Settle()
		a.wantSeen(step.sees, "a1", "a2", "both", "b1", "fan")
	}
	a.WantVerified()
}

// wantSeen checks which of all readers see the only post, p, in their feed.
func (a *App) wantSeen(sees []string, all ...string) {
	a.T.Helper()
	wants := map[string][]string{}
	for _, reader := range sees {
		wants[reader] = []string{"p"}
	}
	for _, reader := range all {
		a.WantFeed(reader, wants[reader]...)
	}
}

// People in `to` get a post unless they block its author, whether or not they follow the author.
func directRecipients(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{CopiedFields: []string{"text"}})
	a.Follow("fan", "author")
	a.Block("angry", "author")
	a.Settle()
	all := []string{"fan", "friend", "other", "angry", "author"}
	a.PostTo("p", "author", "", Day, "friend", "angry", "author", "friend")
	a.Settle()
	a.wantSeen([]string{"friend", "author"}, all...)

	a.Edit("p", firestore.Update{Path: "to", Value: []string{"other"}})
	a.Settle()
	a.wantSeen([]string{"other", "author"}, all...)

	a.Edit("p", audience("author"), firestore.Update{Path: "text", Value: "new"})
	a.Settle()
	a.wantSeen([]string{"fan", "other", "author"}, all...)
	for _, relation := range []string{"p_00000", "p_00001"} {
		if got := a.Data("_relations/" + relation)["text"]; got != "new" {
			t.Errorf("text of %s is %q, want new", relation, got)
		}
	}
	a.Edit("p", hidden(true))
	a.Settle()
	a.wantSeen(nil, all...)

	a.Edit("p", hidden(false), firestore.Update{Path: "to", Value: firestore.Delete})
	a.Settle()
	a.wantSeen([]string{"fan", "author"}, all...)
	a.WantVerified()

	a.DeletePost("p")
	a.Settle()
	if got := a.Count("_relations"); got != 0 {
		t.Errorf("%d relations are left of a deleted post", got)
	}
}

// When a group is deleted, its posts leave the followers' feeds. The posts themselves stay, and so do
// their authors' other posts.
func aDeletedGroup(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{Capacity: 2})
	a.Group("g_team", "author")
	for _, f := range []string{"m1", "m2", "m3"} {
		a.Follow(f, "g_team")
	}
	a.Follow("m1", "author")
	a.PostTo("ours", "author", "g_team", Day, "friend")
	a.Post("mine", "author", Day.Add(time.Hour))
	a.Settle()
	a.WantFeed("m1", "mine", "ours")
	a.WantFeed("m3", "ours")

	a.DeleteAccount("g_team")
	a.Settle()
	a.WantFeed("m1", "mine")
	a.WantFeed("m3")
	a.WantFeed("friend", "ours")
	a.WantFeed("author", "mine", "ours")
	if a.Follows("m3", "g_team") {
		t.Error("somebody follows the deleted group")
	}
	a.WantVerified()
}

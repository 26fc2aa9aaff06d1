package social_test

import (
	"errors"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/tallies"
	"example.com/relationindex/testkit"
)

// A process counted a deleted object, writes its notification late, and dies. The event comes again and finds no post that
// names the recipient: the notification is removed.
func TestLateNotificationIsRemovedAfterCrash(t *testing.T) {
	t.Parallel()
	for name, goes := range map[string]func(a app, x *tallies.Tallies){
		"the account": func(a app, _ *tallies.Tallies) {
			a.DeleteAccount("eve")
			a.OK(a.Worker(0).Purge(a.App, "eve"))
		},
		"the post": func(a app, x *tallies.Tallies) {
			a.DeletePost("p")
			a.OK(x.Tally(a.T.Context(), tallies.Notification("eve", tallies.Like, "p")))
		},
		"the mention": func(a app, x *tallies.Tallies) {
			a.Edit("q", firestore.Update{Path: "to", Value: []string{}})
			a.OK(x.Tally(a.T.Context(), tallies.Notification("eve", tallies.Mention, "ann")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := openApp(t, "eve")
			a.post("p", "eve", "")
			a.like("p", "l1")
			a.post("q", "ann", "", "eve")
			subject := tallies.Notification("eve", tallies.Like, "p")
			if name == "the mention" {
				subject = tallies.Notification("eve", tallies.Mention, "ann")
			}
			gate, death := testkit.NewGate(t, begins), faults.NewDeath(1)
			unlucky := make(chan error, 1)
			go func() {
				unlucky <- a.Instance(gate.Interceptor(), death.Interceptor()).Tallies.Tally(t.Context(), subject)
			}()
			gate.Await()
			x := a.Instance().Tallies
			goes(a, x)
			if name != "the mention" {
				a.drop("posts/p/likes/l1") // by its deletion's job
			}
			gate.Open()
			t.Log("the late one ends with", <-unlucky)
			a.OK(errors.Join(x.Liked(t.Context(), "p"), x.Mention(t.Context(), "q", true)))
			id := subject.Verb + "." + subject.Object
			if name == "the mention" {
				id = a.mentionBy("ann")
			}
			docs, err := a.Client.GetAll(t.Context(), []*firestore.DocumentRef{a.Client.Doc("users/eve/notifications/" + id)})
			if a.OK(err); docs[0].Exists() && docs[0].Data()["at"] != nil {
				t.Errorf("%s is left: %v", id, docs[0].Data())
			}
		})
	}
}

// The same for a follower who unfollowed meanwhile: the duplicate event of the follow names the day.
func TestFollowNotificationIsCorrectedAfterCrash(t *testing.T) {
	t.Parallel()
	a := openApp(t, "eve")
	x := a.Instance().Tallies
	a.Follow("ann", "eve")
	a.OK(x.Followed(t.Context(), "eve", "ann", today()))
	a.Follow("ben", "eve")
	gate, death := testkit.NewGate(t, begins), faults.NewDeath(1)
	unlucky := make(chan error, 1)
	go func() {
		unlucky <- a.Instance(gate.Interceptor(), death.Interceptor()).Tallies.Followed(t.Context(), "eve", "ben", today())
	}()
	gate.Await()
	a.Unfollow("ben", "eve")
	a.OK(x.Followed(t.Context(), "eve", "ben", today()))
	gate.Open()
	if err := <-unlucky; err == nil {
		t.Error("the process that died says nothing")
	}
	a.wantNotes("eve", map[string]note{"follow." + today(): {2, []string{"ben", "ann"}}}) // it died
	a.OK(x.Followed(t.Context(), "eve", "ben", today()))
	a.wantNotes("eve", map[string]note{"follow." + today(): {1, []string{"ann"}}})
}

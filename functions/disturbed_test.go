//go:build long

package functions_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/tallies"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// handler does what an event asks for.
type handler func(context.Context, *social.System) error

// handles handles events in a process, and then runs jobs. Events come again until all of them are acknowledged. Firestore
// rejects the calls that refused matches; nil: none.
func handles(events []handler, refused func(req any) bool) func(*testkit.App, testkit.Process) error {
	return func(a *testkit.App, p testkit.Process) error {
		w := a.Worker(p.Ahead, p.Interceptor, testkit.Refusing(func(req any) bool { return refused != nil && refused(req) }))
		for _, event := range events {
			if err := event(a.T.Context(), w.Index); err != nil {
				return err
			}
		}
		return w.Ends(a)
	}
}

func follow(f string) handler {
	return func(ctx context.Context, x *social.System) error { return x.Graph.Follow(ctx, "author", f) }
}

func posted(p string) handler {
	return func(ctx context.Context, x *social.System) error { return x.Deliveries.Post(ctx, p) }
}

// Events of an author with followers and posts, in cases that the conformance suite does not have. What is there before is
// that of [testkit.SoundApp].
func TestRedeliveryRepairsDisturbedHandlers(t *testing.T) {
	t.Parallel()
	sound := func(a *testkit.App) { a.WantSound() }
	mended := func(a *testkit.App) {
		a.WantTold("users/r1/following/author")
		a.RepairDamaged()
		a.WantSound()
	}
	feeds := func(a *testkit.App) { a.WantFeeds(a.Feed) } // verify reports what lacks copies
	damageEdge := func(a *testkit.App) {
		a.Must(a.Client.Doc("users/r1/following/author").Set(a.T.Context(), map[string]any{"indexId": 7}))
	}
	several := func(a *testkit.App) { // more than goes inline
		a.Config.InlineLimit = 1
		for _, p := range []string{"p2", "p3"} {
			a.Post(p, "author", stories.Day)
			a.OK(posted(p)(a.T.Context(), a.Worker(0).Index))
		}
		a.OK(a.Worker(0).Ends(a))
	}
	var works []testkit.Disturbed[*testkit.App]
	for name, c := range map[string]struct {
		before  func(a *testkit.App)
		events  []handler
		check   func(a *testkit.App)
		refused func(req any) bool
	}{
		"an unfollow and a new follow, in another place": {func(a *testkit.App) {
			a.Unfollow("r1", "author")
			if err := follow("r1")(a.T.Context(), a.Instance(faults.NewDeath(1).Interceptor())); err == nil { // after the members transaction
				a.T.Fatal("the unfollow was not cut short")
			}
			a.Follow("r1", "author")
		}, []handler{follow("r1")}, sound, nil},
		"another author of a post": {func(a *testkit.App) {
			a.Follow("r9", "other")
			a.OK(a.Instance().Graph.Follow(a.T.Context(), "other", "r9"))
			a.Edit("p1", firestore.Update{Path: "userId", Value: "other"})
		}, []handler{posted("p1")}, sound, nil},
		"a follow with a damaged edge": {damageEdge, []handler{follow("r1")}, mended, nil},
		"an unfollow with a damaged edge": {func(a *testkit.App) {
			damageEdge(a)
			a.Unfollow("r1", "author")
		}, []handler{follow("r1")}, mended, nil},
		"an unfollow of an index document that was made anew": {func(a *testkit.App) {
			a.Renew("users/author/followers_index/00001")
			a.Unfollow("r1", "author")
		}, []handler{follow("r1")}, sound, nil},
		"a follow of an author without a user document": {func(a *testkit.App) {
			a.DeleteAccount("author")
			a.Follow("r9", "author")
		}, []handler{follow("r9")}, sound, nil},
		"an unfollow before the index document was backfilled": {func(a *testkit.App) {
			a.Damage("users/author/followers_index/00001", map[string]any{"backfilled": false})
			a.Unfollow("r1", "author")
		}, []handler{follow("r1")}, sound, nil},
		"an unfollow without a change log": {func(a *testkit.App) {
			a.Damage("_relations/p1_00001", map[string]any{"indexVersion": 1})
			a.Unfollow("r1", "author")
		}, []handler{follow("r1")}, sound, nil},
		"a follow and an unfollow of an author of several posts": {func(a *testkit.App) {
			several(a)
			a.Unfollow("r1", "author")
			for _, f := range []string{"r6", "r9", "x"} {
				a.Follow(f, "author")
			}
		}, []handler{follow("r1"), follow("r6"), follow("r9"), follow("x")}, sound, nil},
		"a post in several index documents": {func(a *testkit.App) {
			several(a)
			a.Post("p4", "author", stories.Day)
		}, []handler{posted("p4")}, sound, nil},
		"a deletion in several index documents": {func(a *testkit.App) {
			several(a)
			a.DeletePost("p1")
		}, []handler{posted("p1")}, sound, nil},
		"a post that has no room for copies":      {func(a *testkit.App) { a.Post("p2", "author", stories.Day) }, []handler{posted("p2")}, feeds, withCopies},
		"an unfollow that has no room for copies": {func(a *testkit.App) { a.Unfollow("r1", "author") }, []handler{follow("r1")}, feeds, withCopies},
		"a profile": {func(a *testkit.App) {
			a.Config.AuthorFields = []string{"displayName=text"}
			a.Profile("author", map[string]any{"displayName": "Ada"})
			a.Post("p2", "author", stories.Day)
		}, []handler{
			func(ctx context.Context, x *social.System) error { return x.Accounts.Sign(ctx, "p2") }, posted("p2"),
			func(ctx context.Context, x *social.System) error { return x.Accounts.Profile(ctx, "author", "1", "") },
		}, func(a *testkit.App) {
			a.OK(posted("p1")(a.T.Context(), a.Worker(0).Index)) // its event
			a.WantSound()
		}, nil},
	} {
		works = append(works, testkit.Disturbed[*testkit.App]{
			Name: name, Act: handles(c.events, c.refused), Check: c.check, Reads: 2, Writes: 1,
			Prepare: func(t *testing.T) *testkit.App {
				a := testkit.SoundApp(t)
				c.before(a)
				return a
			},
		})
	}
	testkit.Disturb(t, works...)
}

// withCopies matches writes that leave a relation its copied fields.
func withCopies(req any) bool {
	commit, _ := req.(*pb.CommitRequest)
	for _, w := range commit.GetWrites() {
		_, copied := w.GetUpdate().GetFields()["text"]
		kept := w.GetUpdateMask() != nil && !slices.Contains(w.GetUpdateMask().GetFieldPaths(), "text")
		if strings.Contains(w.GetUpdate().GetName(), "/_relations/") && (copied || kept) {
			return true
		}
	}
	return false
}

// The same for numbers and notifications.
func TestRedeliveryRepairsDisturbedTallies(t *testing.T) {
	t.Parallel()
	var works []testkit.Disturbed[*testkit.App]
	for name, c := range map[string]struct {
		before func(a *testkit.App) // its event is handled
		write  func(a *testkit.App)
		event  handler // of both
	}{
		"a first like":              {nil, func(a *testkit.App) { like(a, "p1", "r1") }, liked},
		"another like":              {func(a *testkit.App) { like(a, "p1", "r1") }, func(a *testkit.App) { like(a, "p1", "r2") }, liked},
		"a like that is taken back": {func(a *testkit.App) { like(a, "p1", "r1") }, func(a *testkit.App) { unlike(a, "p1", "r1") }, liked},
		"a block of who likes":      {func(a *testkit.App) { like(a, "p1", "r1") }, func(a *testkit.App) { a.Block("author", "r1") }, blocked},
		"a comment":                 {nil, func(a *testkit.App) { comment(a, "c", "r1") }, commented},
		"a follow that is told":     {nil, func(a *testkit.App) { a.Follow("r1", "author") }, followed},
		"an unfollow that is told":  {func(a *testkit.App) { a.Follow("r1", "author") }, func(a *testkit.App) { a.Unfollow("r1", "author") }, followed},
	} {
		works = append(works, testkit.Disturbed[*testkit.App]{
			Name: name, Act: handles([]handler{c.event}, nil), Reads: 2, Writes: 1,
			Prepare: func(t *testing.T) *testkit.App {
				a := talliedApp(t)
				if c.before != nil {
					c.before(a)
					a.OK(errors.Join(liked(t.Context(), a.Instance()), followed(t.Context(), a.Instance())))
				}
				c.write(a)
				return a
			},
			Check: func(a *testkit.App) {
				a.WantFeeds(a.Feed)
				a.WantVerified()
			},
		})
	}
	testkit.Disturb(t, works...)
}

// liked, commented and blocked do what the events of a like and of a comment of p1, and of a block by the author do.
func liked(ctx context.Context, x *social.System) error { return x.Tallies.Liked(ctx, "p1") }

func commented(ctx context.Context, x *social.System) error { return x.Tallies.Commented(ctx, "p1") }

func blocked(ctx context.Context, x *social.System) error {
	return x.Tallies.Naming(ctx, "author", "r1")
}

// followed is the event of a follow of the author, and of its end.
func followed(ctx context.Context, x *social.System) error {
	return errors.Join(
		x.Graph.Follow(ctx, "author", "r1"),
		x.Tallies.Tally(ctx, tallies.Followers("author"), tallies.Following("r1")),
		x.Tallies.Followed(ctx, "author", "r1", tallies.DayOf(time.Now())))
}

func like(a *testkit.App, p, who string) {
	a.Must(a.Client.Doc("posts/"+p+"/likes/"+who).Set(a.T.Context(), map[string]any{"userId": who, "postId": p, "createdAt": firestore.ServerTimestamp}))
}

func unlike(a *testkit.App, p, who string) {
	a.Must(a.Client.Doc("posts/" + p + "/likes/" + who).Delete(a.T.Context()))
}

func comment(a *testkit.App, id, who string) {
	a.Must(a.Client.Doc("posts/p1/comments/"+id).Set(a.T.Context(), map[string]any{"userId": who, "thread": "author/author", "createdAt": firestore.ServerTimestamp}))
}

// talliedApp has an author with a post, whose events the test delivers.
func talliedApp(t *testing.T) *testkit.App {
	t.Helper()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Counts: true, Notifications: true})
	for u, name := range map[string]string{"author": "Ada", "r1": "Rob"} {
		a.Profile(u, map[string]any{"name": name})
	}
	a.Post("p1", "author", stories.Day)
	a.OK(a.Instance().Tallies.Tally(t.Context(), tallies.Posts("author")))
	return a
}

// An account is blocked after its like was counted, before the notification is written. The block finds no notification
// that names the account, so the writer of one reads the block again.
func TestBlockDuringLikeLeavesNoNotification(t *testing.T) {
	t.Parallel()
	a := talliedApp(t)
	like(a, "p1", "r1")
	like(a, "p1", "r2")
	gate := testkit.NewGate(t, testkit.CommitOf("users/author/notifications"))
	late := make(chan error, 1)
	go func() { late <- liked(t.Context(), a.Instance(gate.Interceptor())) }()
	gate.Await()
	a.Block("author", "r2")
	a.OK(a.Instance().Tallies.Naming(t.Context(), "author", "r2"))
	gate.Open()
	a.OK(<-late)
	if actors := a.Data("users/author/notifications/like.p1")["actors"].([]any); len(actors) != 1 || actors[0] != "r1" {
		t.Errorf("the notification names %v, want r1 alone", actors)
	}
	a.WantVerified()
}

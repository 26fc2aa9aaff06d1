//go:build long

package functions_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/tallies"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

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

// talliedStories are those of numbers and notifications.
func talliedStories() map[string]story {
	begun := func(a *testkit.App) {
		a.Profile("author", map[string]any{"name": "Ada"})
		a.Profile("r1", map[string]any{"name": "Rob"})
		a.Post("p1", "author", stories.Day)
	}
	liking := func(a *testkit.App, handled func(handler)) {
		begun(a)
		like(a, "p1", "r1")
		handled(liked)
	}
	return map[string]story{
		"a first like": {
			before: func(a *testkit.App, _ func(handler)) { begun(a) },
			write:  func(a *testkit.App) { like(a, "p1", "r1") }, events: []handler{liked},
		},
		"another like": {
			before: liking,
			write:  func(a *testkit.App) { like(a, "p1", "r2") }, events: []handler{liked},
		},
		"a like that is taken back": {
			before: liking,
			write:  func(a *testkit.App) { unlike(a, "p1", "r1") }, events: []handler{liked},
		},
		"a block of who likes": {
			before: liking,
			write:  func(a *testkit.App) { a.Block("author", "r1") }, events: []handler{blocked},
		},
		"a comment": {
			before: func(a *testkit.App, _ func(handler)) { begun(a) },
			write:  func(a *testkit.App) { comment(a, "c", "r1") }, events: []handler{commented},
		},
		"a follow that is told": {
			before: func(a *testkit.App, _ func(handler)) { begun(a) },
			write:  func(a *testkit.App) { a.Follow("r1", "author") }, events: []handler{followed},
			feeds: map[string][]string{"r1": {"p1"}},
		},
		"an unfollow that is told": {
			before: func(a *testkit.App, handled func(handler)) {
				begun(a)
				a.Follow("r1", "author")
				handled(followed)
			},
			write: func(a *testkit.App) { a.Unfollow("r1", "author") }, events: []handler{followed},
			feeds: map[string][]string{"r1": nil},
		},
	}
}

// talliedApp has an author with a post, whose events the test delivers.
func talliedApp(t *testing.T) *testkit.App {
	t.Helper()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Counts: true, Notifications: true})
	a.Profile("author", map[string]any{"name": "Ada"})
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

//go:build long

package functions_test

import (
	"context"
	"errors"
	"testing"

	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// handler does what an event asks for.
type handler func(context.Context, *social.System) error

// story is one of which some events have been handled; then the client writes, and the process that handles the events dies
// on the way.
type story struct {
	plain  bool // without numbers and notifications
	before func(a *testkit.App, handled func(handler))
	write  func(a *testkit.App)
	events []handler
	feeds  map[string][]string
}

// A handler dies at each of its writes in turn, or each of its reads fails, and its
// event is delivered again to another process: the documents are as if nothing had
// happened. Nothing but the events of the story itself may repair them. Stories of posts and single follows are in
// testkit/deliverytest.
func TestRedeliveryRepairsAnyCrash(t *testing.T) {
	t.Parallel()
	all := talliedStories()
	all["an unfollow and a new follow, in another place"] = followsElsewhere()
	for name, story := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for misfortune, comes := range faults.Misfortunes() {
				points := 0
				for at := 1; ; at++ {
					a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Capacity: 1, Counts: !story.plain, Notifications: !story.plain})
					story.before(a, func(h handler) {
						if err := h(t.Context(), a.Instance()); err != nil {
							t.Fatal(err)
						}
					})
					story.write(a)
					interceptor, happened := comes(at)
					unlucky := a.Instance(interceptor)
					var err error
					for _, event := range story.events {
						err = errors.Join(err, event(t.Context(), unlucky))
					}
					if !happened() {
						break // there is no at-th
					}
					points++
					if err == nil {
						t.Fatalf("%s %d: no event says so", misfortune, at)
					}
					for _, event := range story.events {
						if err := event(t.Context(), a.Instance()); err != nil {
							t.Fatalf("%s %d: the next delivery: %v", misfortune, at, err)
						}
					}
					for reader, want := range story.feeds {
						a.WantFeed(reader, want...)
					}
					a.WantVerified()
					if t.Failed() {
						t.Fatalf("%s %d", misfortune, at)
					}
				}
				t.Logf("%s at %d points", misfortune, points)
				if points < 1 {
					t.Errorf("%s: there was none", misfortune)
				}
			}
		})
	}
}

// followsElsewhere is the story of a follower who leaves and comes back: their first place has another follower by then.
func followsElsewhere() story {
	follow := func(f string) handler {
		return func(ctx context.Context, x *social.System) error { return x.Graph.Follow(ctx, "author", f) }
	}
	return story{
		plain: true,
		before: func(a *testkit.App, handled func(handler)) {
			a.Post("p1", "author", stories.Day)
			for _, r := range []string{"r1", "r2"} {
				a.Follow(r, "author")
				handled(follow(r))
			}
			a.Unfollow("r1", "author")
			// Its handler gets as far as the members transaction.
			d := faults.NewDeath(1)
			if err := a.Instance(d.Interceptor()).Graph.Follow(a.T.Context(), "author", "r1"); err == nil {
				a.T.Fatal("the unfollow was not cut short")
			}
		},
		write:  func(a *testkit.App) { a.Follow("r1", "author") },
		events: []handler{follow("r1")},
		feeds:  map[string][]string{"r1": {"p1"}, "r2": {"p1"}},
	}
}

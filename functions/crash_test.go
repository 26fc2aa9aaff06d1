//go:build long

package functions_test

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

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
	tallied bool // with numbers and notifications
	before  func(a *testkit.App, handled func(handler))
	write   func(a *testkit.App)
	events  []handler
	feeds   map[string][]string
}

// A handler dies at each of its writes in turn, or each of its reads fails, and its
// event is delivered again to another process: the documents are as if nothing had
// happened. Nothing but the events of the story itself may repair them.
func TestRedeliveryRepairsAnyCrash(t *testing.T) {
	t.Parallel()
	const author, other = "author", "other"
	follow := func(f string) handler {
		return func(ctx context.Context, x *social.System) error { return x.Graph.Follow(ctx, author, f) }
	}
	post := func(ctx context.Context, x *social.System) error { return x.Deliveries.Post(ctx, "p1") }

	all := map[string]story{
		"the first follow": {
			before: func(a *testkit.App, _ func(handler)) { a.Post("p1", author, stories.Day) },
			write:  func(a *testkit.App) { a.Follow("r1", author) },
			events: []handler{follow("r1")},
			feeds:  map[string][]string{"r1": {"p1"}},
		},
		"a follow that opens an index document": {
			before: func(a *testkit.App, handled func(handler)) {
				a.Post("p1", author, stories.Day)
				a.Follow("r1", author)
				handled(follow("r1"))
			},
			write:  func(a *testkit.App) { a.Follow("r2", author) },
			events: []handler{follow("r2")},
			feeds:  map[string][]string{"r1": {"p1"}, "r2": {"p1"}},
		},
		"an unfollow": {
			before: func(a *testkit.App, handled func(handler)) {
				a.Post("p1", author, stories.Day)
				a.Follow("r1", author)
				handled(follow("r1"))
			},
			write:  func(a *testkit.App) { a.Unfollow("r1", author) },
			events: []handler{follow("r1")},
			feeds:  map[string][]string{"r1": nil},
		},
		"an unfollow and a new follow, in another place": {
			before: func(a *testkit.App, handled func(handler)) {
				a.Post("p1", author, stories.Day)
				a.Follow("r1", author)
				handled(follow("r1"))
				a.Follow("r2", author)
				handled(follow("r2"))
				a.Unfollow("r1", author)
				// Its handler gets as far as the members transaction.
				d := faults.NewDeath(1)
				if err := a.Instance(d.Interceptor()).Graph.Follow(a.T.Context(), author, "r1"); err == nil {
					a.T.Fatal("the unfollow was not cut short")
				}
			},
			write:  func(a *testkit.App) { a.Follow("r1", author) },
			events: []handler{follow("r1")},
			feeds:  map[string][]string{"r1": {"p1"}, "r2": {"p1"}},
		},
		"a post": {
			before: func(a *testkit.App, handled func(handler)) {
				for _, r := range []string{"r1", "r2"} {
					a.Follow(r, author)
					handled(follow(r))
				}
			},
			write:  func(a *testkit.App) { a.Post("p1", author, stories.Day) },
			events: []handler{post},
			feeds:  map[string][]string{"r1": {"p1"}, "r2": {"p1"}},
		},
		"an edit": {
			before: func(a *testkit.App, handled func(handler)) {
				a.Post("p1", author, stories.Day)
				a.Follow("r1", author)
				handled(follow("r1"))
			},
			write:  func(a *testkit.App) { a.Post("p1", author, stories.Day.Add(time.Hour)) },
			events: []handler{post},
			feeds:  map[string][]string{"r1": {"p1"}},
		},
		"another author": {
			before: func(a *testkit.App, handled func(handler)) {
				a.Post("p1", author, stories.Day)
				for _, r := range []string{"r1", "r2"} {
					a.Follow(r, author)
					handled(follow(r))
				}
				a.Follow("r3", other)
				handled(func(ctx context.Context, x *social.System) error { return x.Graph.Follow(ctx, other, "r3") })
			},
			write:  func(a *testkit.App) { a.Edit("p1", firestore.Update{Path: "userId", Value: other}) },
			events: []handler{post},
			feeds:  map[string][]string{"r1": nil, "r2": nil, "r3": {"p1"}},
		},
		"a deletion": {
			before: func(a *testkit.App, handled func(handler)) {
				a.Post("p1", author, stories.Day)
				for _, r := range []string{"r1", "r2"} {
					a.Follow(r, author)
					handled(follow(r))
				}
			},
			write:  func(a *testkit.App) { a.Must(a.Client.Doc("posts/p1").Delete(a.T.Context())) },
			events: []handler{post},
			feeds:  map[string][]string{"r1": nil, "r2": nil},
		},
	}
	maps.Copy(all, talliedStories())
	for name, story := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for misfortune, comes := range faults.Misfortunes() {
				points := 0
				for at := 1; ; at++ {
					a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Capacity: 1, Counts: story.tallied, Notifications: story.tallied})
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

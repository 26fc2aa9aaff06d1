//go:build long

package functions_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// Each read of a handler and of its jobs fails. The event comes again, and the documents
// are the same as without the failures.
func TestHandlerReturnsReadErrors(t *testing.T) {
	t.Parallel()
	edge := map[string]any{"indexId": 7}
	type handler func(w testkit.Worker) error
	follow := func(f string) handler {
		return func(w testkit.Worker) error { return w.Index.Graph.Follow(t.Context(), "author", f) }
	}
	post := func(p string) handler {
		return func(w testkit.Worker) error { return w.Index.Deliveries.Post(t.Context(), p) }
	}
	set := func(a *testkit.App, path string, data map[string]any) {
		a.Must(a.Client.Doc(path).Set(t.Context(), data))
	}
	several := func(a *testkit.App) { // more than goes inline
		a.Config.InlineLimit = 1
		for _, p := range []string{"p2", "p3"} {
			a.Post(p, "author", stories.Day)
			a.OK(post(p)(a.Worker(0)))
		}
		a.OK(a.Worker(0).Ends(a))
	}
	for name, story := range map[string]struct {
		before func(a *testkit.App)
		events []handler
		refuse func(req any) bool // what Firestore rejects
	}{
		"a follow with a damaged edge": {
			before: func(a *testkit.App) { set(a, "users/r1/following/author", edge) },
			events: []handler{follow("r1")},
		},
		"an unfollow with a damaged edge": {
			before: func(a *testkit.App) { set(a, "users/r1/following/author", edge); a.Unfollow("r1", "author") },
			events: []handler{follow("r1")},
		},
		"a block": {
			before: func(a *testkit.App) { a.Block("author", "r1") },
			events: []handler{
				func(w testkit.Worker) error { return w.Index.Graph.Block(t.Context(), "author", "r1", time.Now()) },
				follow("r1"),
			},
		},
		"an unfollow of an index document that was made anew": {
			before: func(a *testkit.App) { a.Renew("users/author/followers_index/00001"); a.Unfollow("r1", "author") },
			events: []handler{follow("r1")},
		},
		"a follow of an author without a user document": {
			before: func(a *testkit.App) {
				a.Must(a.Client.Doc("users/author").Delete(t.Context()))
				a.Follow("r9", "author")
			},
			events: []handler{follow("r9")},
		},
		"an unfollow before the index document was backfilled": {
			before: func(a *testkit.App) {
				a.Damage("users/author/followers_index/00001", map[string]any{"backfilled": false})
				a.Unfollow("r1", "author")
			},
			events: []handler{follow("r1")},
		},
		"an unfollow without a change log": {
			before: func(a *testkit.App) {
				a.Damage("_relations/p1_00001", map[string]any{"indexVersion": 1})
				a.Unfollow("r1", "author")
			},
			events: []handler{follow("r1")},
		},
		"a follow and an unfollow of an author of several posts": {
			before: func(a *testkit.App) {
				several(a)
				a.Unfollow("r1", "author")
				for _, f := range []string{"r6", "r9", "x"} {
					a.Follow(f, "author")
				}
			},
			events: []handler{follow("r1"), follow("r6"), follow("r9"), follow("x")},
		},
		"a post in several index documents": {
			before: func(a *testkit.App) { several(a); a.Post("p4", "author", stories.Day) },
			events: []handler{post("p4")},
		},
		"a deletion in several index documents": {
			before: func(a *testkit.App) { several(a); a.DeletePost("p1") },
			events: []handler{post("p1")},
		},
		"a post that has no room for copies": {
			before: func(a *testkit.App) { a.Post("p2", "author", stories.Day) },
			events: []handler{post("p2")},
			refuse: withCopies,
		},
		"an unfollow that has no room for copies": {
			before: func(a *testkit.App) { a.Unfollow("r1", "author") },
			events: []handler{follow("r1")},
			refuse: withCopies,
		},
		"a profile": {
			before: func(a *testkit.App) {
				a.Config.AuthorFields = []string{"displayName=text"}
				a.Profile("author", map[string]any{"displayName": "Ada"})
				a.Post("p2", "author", stories.Day)
			},
			events: []handler{
				func(w testkit.Worker) error { return w.Index.Accounts.Sign(t.Context(), "p2") }, post("p2"),
				func(w testkit.Worker) error { return w.Index.Accounts.Profile(t.Context(), "author", "1", "") },
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.SoundApp(t)
			story.before(a)
			testkit.FailReads(t, func(p testkit.Process) error {
				w := a.Worker(p.Ahead, p.Interceptor, testkit.Refusing(func(req any) bool { return story.refuse != nil && story.refuse(req) }))
				for _, event := range story.events {
					if err := event(w); err != nil {
						return err
					}
				}
				return w.Ends(a)
			})
			if name == "a profile" {
				a.OK(post("p1")(a.Worker(0))) // its event
			}
			if strings.HasSuffix(name, "a damaged edge") {
				a.WantTold("users/r1/following/author")
				a.RepairDamaged()
			}
			if story.refuse != nil { // verify reports what lacks copies
				a.WantFeeds(a.Feed)
				return
			}
			a.WantSound()
		})
	}
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

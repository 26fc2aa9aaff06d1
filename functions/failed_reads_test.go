package functions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// failReads calls do for one process after the other. In each, a read fails at a place in
// the code where none has failed yet: do must say so. The last process reads everything,
// and must end what the others began. Its clock is ahead of theirs, so that jobs go on.
func failReads(t *testing.T, do func(process) error) {
	t.Helper()
	var places faults.Places
	for n := 0; ; n++ {
		interceptor, failed := places.Process()
		err := do(process{interceptor, failed, time.Duration(n) * 10 * chunker.DefaultLease})
		if failed() == "" {
			if err != nil {
				t.Errorf("after reads failed at %d places: %v", n, err)
			}
			t.Logf("reads failed at %d places", n)
			return
		}
		if err == nil {
			t.Errorf("the read failed, and nothing says so: %s", failed())
		}
	}
}

// process is one whose reads fail at one place.
type process struct {
	wire.Interceptor
	failed func() string // the place; "": not yet
	ahead  time.Duration // of its clock
}

// ends runs jobs until none is left to run, or one has failed.
func (w worker) ends(a *app) error {
	for again := false; ; again = true {
		jobs, err := w.Unfinished(a.T.Context(), 100)
		if err != nil || len(jobs) == 0 {
			return err
		}
		for _, job := range jobs {
			if again && job.Error != nil {
				return fmt.Errorf("job %s: %+v", job.ID, job.Error)
			}
			if err := w.Run(a.T.Context(), job.ID, chunker.NewBudget(a.T.Context(), time.Now(), time.Minute, 0, nil)); err != nil {
				return err
			}
		}
	}
}

// Each read of a handler fails, and of the jobs that it leaves: its event comes again, and
// the documents are as if nothing had happened.
func TestAHandlerWhoseReadsFail(t *testing.T) {
	t.Parallel()
	edge := map[string]any{"indexId": 7}
	type handler func(w worker) error
	follow := func(f string) handler {
		return func(w worker) error { return w.index.Graph.Follow(t.Context(), "author", f) }
	}
	post := func(p string) handler {
		return func(w worker) error { return w.index.Deliveries.Post(t.Context(), p) }
	}
	set := func(a *app, path string, data map[string]any) { a.Must(a.Client.Doc(path).Set(t.Context(), data)) }
	several := func(a *app) { // more than goes inline
		a.Config.InlineLimit = 1
		for _, p := range []string{"p2", "p3"} {
			a.Post(p, "author", day)
			a.ok(post(p)(a.worker(0)))
		}
		a.ok(a.worker(0).ends(a))
	}
	for name, story := range testkit.CasesByName(t, map[string]struct {
		before func(a *app)
		events []handler
		refuse func(req any) bool // what Firestore rejects
	}{
		"a follow with a damaged edge": {
			before: func(a *app) { set(a, "users/r1/following/author", edge) },
			events: []handler{follow("r1")},
		},
		"an unfollow with a damaged edge": {
			before: func(a *app) { set(a, "users/r1/following/author", edge); a.Unfollow("r1", "author") },
			events: []handler{follow("r1")},
		},
		"a block": {
			before: func(a *app) { a.Block("author", "r1") },
			events: []handler{
				func(w worker) error { return w.index.Graph.Block(t.Context(), "author", "r1", time.Now()) },
				follow("r1"),
			},
		},
		"an unfollow of an index document that was made anew": {
			before: func(a *app) { a.renew("users/author/followers_index/00001"); a.Unfollow("r1", "author") },
			events: []handler{follow("r1")},
		},
		"a follow of an author without a user document": {
			before: func(a *app) { a.Must(a.Client.Doc("users/author").Delete(t.Context())); a.Follow("r9", "author") },
			events: []handler{follow("r9")},
		},
		"an unfollow before the index document was backfilled": {
			before: func(a *app) {
				a.damage("users/author/followers_index/00001", map[string]any{"backfilled": false})
				a.Unfollow("r1", "author")
			},
			events: []handler{follow("r1")},
		},
		"an unfollow without a change log": {
			before: func(a *app) {
				a.damage("_relations/p1_00001", map[string]any{"indexVersion": 1})
				a.Unfollow("r1", "author")
			},
			events: []handler{follow("r1")},
		},
		"a follow and an unfollow of an author of several posts": {
			before: func(a *app) {
				several(a)
				a.Unfollow("r1", "author")
				for _, f := range []string{"r6", "r9", "x"} {
					a.Follow(f, "author")
				}
			},
			events: []handler{follow("r1"), follow("r6"), follow("r9"), follow("x")},
		},
		"a post in several index documents": {
			before: func(a *app) { several(a); a.Post("p4", "author", day) },
			events: []handler{post("p4")},
		},
		"a deletion in several index documents": {
			before: func(a *app) { several(a); a.DeletePost("p1") },
			events: []handler{post("p1")},
		},
		"a post that has no room for copies": {
			before: func(a *app) { a.Post("p2", "author", day) },
			events: []handler{post("p2")},
			refuse: withCopies,
		},
		"an unfollow that has no room for copies": {
			before: func(a *app) { a.Unfollow("r1", "author") },
			events: []handler{follow("r1")},
			refuse: withCopies,
		},
		"a profile": {
			before: func(a *app) {
				a.Config.AuthorFields = []string{"displayName=text"}
				a.Profile("author", map[string]any{"displayName": "Ada"})
				a.Post("p2", "author", day)
			},
			events: []handler{
				func(w worker) error { return w.index.Accounts.Sign(t.Context(), "p2") }, post("p2"),
				func(w worker) error { return w.index.Accounts.Profile(t.Context(), "author", "1", "") },
			},
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := soundApp(t)
			story.before(a)
			failReads(t, func(p process) error {
				w := a.worker(p.ahead, p.Interceptor, refusing(func(req any) bool { return story.refuse != nil && story.refuse(req) }))
				for _, event := range story.events {
					if err := event(w); err != nil {
						return err
					}
				}
				return w.ends(a)
			})
			if name == "a profile" {
				a.ok(post("p1")(a.worker(0))) // its event
			}
			if strings.HasSuffix(name, "a damaged edge") {
				a.wantTold("users/r1/following/author")
				a.repairDamaged()
			}
			if story.refuse != nil { // verify reports what lacks copies
				a.wantFeeds(a.Feed)
				return
			}
			a.wantSound()
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

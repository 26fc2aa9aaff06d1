package functions_test

import (
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/testkit"
)

// Each race of two reconcilers, forced in both orders by holding one of them
// at the wire. Both orders end with the same documents.

// The members transaction of a follow, and the fan-out of a post.
func TestRaceFanoutAndMembers(t *testing.T) {
	t.Parallel()
	t.Run("fan-out has read the index document, then members", func(t *testing.T) {
		t.Parallel()
		held := newGate(t, commitOf("_relations/p1"))
		members := newGate(t, commitOf("users/r2/following/author"))
		a := newApp(t, config.Functions{}, members.interceptor(), held.interceptor())
		a.Follow("r1", "author")
		a.Settle()
		a.Post("p1", "author", day)
		held.await()
		a.Follow("r2", "author")
		members.await()
		members.open() // its commit waits for the fan-out's lock
		held.open()
		a.Settle()
		a.WantFeed("r1", "p1")
		a.WantFeed("r2", "p1")
		a.WantVerified()
	})
	t.Run("members commits while the fan-out has read nothing", func(t *testing.T) {
		t.Parallel()
		held := newGate(t, readOf("posts/p1"))
		a := newApp(t, config.Functions{}, held.interceptor())
		a.Follow("r1", "author")
		a.Settle()
		a.Post("p1", "author", day)
		held.await()
		a.Follow("r2", "author")
		a.awaitEdge("r2", "author")
		held.open()
		a.Settle()
		a.WantFeed("r1", "p1")
		a.WantFeed("r2", "p1")
		a.WantVerified()
	})
	t.Run("members has committed but not synced, then fan-out", func(t *testing.T) {
		t.Parallel()
		held := newGate(t, queryOf("_relations"))
		a := newApp(t, config.Functions{}, held.interceptor())
		a.Must(a.Client.Doc("users/nobody").Set(t.Context(), map[string]any{"name": "x"}))
		a.Post("p1", "author", day)
		held.await() // the fan-out of p1 knows of no index document yet
		a.Follow("r1", "author")
		a.awaitEdge("r1", "author")
		held.open()
		a.Settle()
		a.WantFeed("r1", "p1")
		a.WantVerified()
	})
}

// awaitEdge returns when the members transaction of a follow has committed.
func (a *app) awaitEdge(follower, author string) {
	a.T.Helper()
	a.await("users/"+follower+"/following/"+author, func(doc *firestore.DocumentSnapshot) bool { return doc.Exists() })
}

// await returns when a document is as ok wants it. It asks again and again: a
// listener's first answer and a write that meets it may miss each other on the emulator.
func (a *app) await(path string, ok func(*firestore.DocumentSnapshot) bool) {
	a.T.Helper()
	testkit.Until(a.T, path+" as it should be", func() bool {
		doc, err := a.Client.Doc(path).Get(a.T.Context())
		if err != nil && status.Code(err) != codes.NotFound {
			a.T.Fatal(err)
		}
		return ok(doc)
	})
}

// The backfill of an index document that has just been opened, and a post that
// is being created.
func TestRaceBackfillAndNewPost(t *testing.T) {
	t.Parallel()
	t.Run("backfill has listed the posts, then the post comes", func(t *testing.T) {
		t.Parallel()
		held := newGate(t, commitOf("_relations/p1"))
		a := newApp(t, config.Functions{}, held.interceptor())
		a.Post("p1", "author", day)
		a.Settle()
		a.Follow("r1", "author")
		held.await()
		a.Post("p2", "author", day.Add(time.Hour))
		a.await("_relations/p2_00001", func(doc *firestore.DocumentSnapshot) bool { return doc.Exists() })
		held.open()
		a.Settle()
		a.WantFeed("r1", "p2", "p1")
		a.WantVerified()
	})
	t.Run("fan-out has found no index document, then one is opened", func(t *testing.T) {
		t.Parallel()
		held := newGate(t, queryOf("_relations"))
		a := newApp(t, config.Functions{}, held.interceptor())
		a.Post("p1", "author", day)
		held.await()
		a.Follow("r1", "author")
		a.await("users/author/followers_index/00001", func(doc *firestore.DocumentSnapshot) bool {
			return doc.Exists() && doc.Data()["backfilled"] == true
		})
		held.open()
		a.Settle()
		a.WantFeed("r1", "p1")
		a.WantVerified()
	})
}

// The fan-out of a post, and its deletion.
func TestRaceFanoutAndRetract(t *testing.T) {
	t.Parallel()
	t.Run("fan-out has read the post, then it is deleted", func(t *testing.T) {
		t.Parallel()
		held := newGate(t, commitOf("_relations/p1"))
		a := newApp(t, config.Functions{}, held.interceptor())
		a.Follow("r1", "author")
		a.Settle()
		a.Post("p1", "author", day)
		held.await()
		deleted := make(chan error)
		go func() { // waits for the lock of the fan-out's read
			_, err := a.Client.Doc("posts/p1").Delete(t.Context())
			deleted <- err
		}()
		held.open()
		if err := <-deleted; err != nil {
			t.Fatal(err)
		}
		a.Settle()
		a.WantFeed("r1")
		a.WantVerified()
	})
	t.Run("the post is deleted and retracted, then fan-out reads it", func(t *testing.T) {
		t.Parallel()
		held := newGate(t, readOf("posts/p1"))
		a := newApp(t, config.Functions{}, held.interceptor())
		a.Follow("r1", "author")
		a.Settle()
		a.Post("p1", "author", day)
		held.await()
		a.Must(a.Client.Doc("posts/p1").Delete(t.Context()))
		if err := a.Instance().Deliveries.Post(t.Context(), "p1"); err != nil { // the retract
			t.Fatal(err)
		}
		held.open()
		a.Settle()
		a.WantFeed("r1")
		a.WantVerified()
	})
}

// The retraction of a post, and the post coming back as it was.
func TestRaceRetractAndReturn(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(a *app, held *gate, done <-chan error){
		"the post comes back before the retraction reads it": func(a *app, held *gate, done <-chan error) {
			a.Post("p1", "author", day)
			if err := a.Instance().Deliveries.Post(a.T.Context(), "p1"); err != nil { // finds the relation there
				a.T.Fatal(err)
			}
			held.open()
			if err := <-done; err != nil {
				a.T.Fatal(err)
			}
		},
		"the post comes back after the retraction": func(a *app, held *gate, done <-chan error) {
			held.open()
			if err := <-done; err != nil {
				a.T.Fatal(err)
			}
			a.Post("p1", "author", day)
			if err := a.Instance().Deliveries.Post(a.T.Context(), "p1"); err != nil {
				a.T.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, config.Functions{})
			a.Post("p1", "author", day)
			a.Follow("r1", "author")
			a.Settle()
			a.Silence()
			held := newGate(t, readOf("posts/p1"))
			old := a.Instance(held.interceptor())
			a.Must(a.Client.Doc("posts/p1").Delete(t.Context()))
			done := make(chan error)
			go func() { done <- old.Deliveries.Post(t.Context(), "p1") }()
			held.await()
			back(a, held, done)
			a.WantFeed("r1", "p1")
			a.WantVerified()
		})
	}
}

// Two passes of sync over the same relation, in two instances.
func TestRaceSyncAndSync(t *testing.T) {
	t.Parallel()
	t.Run("the older pass writes last", func(t *testing.T) {
		t.Parallel()
		a := newApp(t, config.Functions{})
		a.Post("p1", "author", day)
		a.Follow("r1", "author")
		a.Settle()
		a.Silence() // no event repairs what the two instances leave
		held := newGate(t, commitOf("_relations/p1"))
		old, young := a.Instance(held.interceptor()), a.Instance()
		a.Follow("r2", "author")
		done := make(chan error)
		go func() { done <- old.Graph.Follow(t.Context(), "author", "r2") }()
		held.await() // about to write r2 into the relation
		a.Unfollow("r2", "author")
		if err := young.Graph.Follow(t.Context(), "author", "r2"); err != nil {
			t.Fatal(err)
		}
		held.open()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		a.WantFeed("r1", "p1")
		a.WantFeed("r2")
		a.WantVerified()
	})
	t.Run("the older pass writes first", func(t *testing.T) {
		t.Parallel()
		held := newGate(t, queryOf("_relations"))
		a := newApp(t, config.Functions{})
		a.Post("p1", "author", day)
		a.Follow("r1", "author")
		a.Settle()
		young := a.Instance(held.interceptor())
		a.Must(a.Client.Doc("users/author/followers/r2").Set(t.Context(), map[string]any{}))
		done := make(chan error)
		go func() { done <- young.Graph.Follow(t.Context(), "author", "r2") }()
		held.await()
		a.Follow("r3", "author")
		a.await("_relations/p1_00001", func(doc *firestore.DocumentSnapshot) bool {
			return len(doc.Data()["followers"].([]any)) == 3
		})
		held.open()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		a.Settle()
		a.WantFeed("r2", "p1")
		a.WantVerified()
	})
}

// An unfollow whose edge is about to go, and a new follow.
func TestRaceUnfollowAndFollow(t *testing.T) {
	t.Parallel()
	t.Run("the new follow commits before the edge goes", func(t *testing.T) {
		t.Parallel()
		held := newGate(t, deleteOf("users/r1/following/author"))
		a := newApp(t, config.Functions{}, held.interceptor())
		a.Post("p1", "author", day)
		a.Follow("r1", "author")
		a.Settle()
		a.Unfollow("r1", "author")
		held.await()
		a.Follow("r1", "author")
		a.await("users/r1/following/author", func(doc *firestore.DocumentSnapshot) bool {
			return doc.Exists() && doc.Data()["indexId"] != nil
		})
		held.open()
		a.Settle()
		a.WantFeed("r1", "p1")
		a.WantVerified()
	})
	t.Run("the edge goes before the new follow is read", func(t *testing.T) {
		t.Parallel()
		held := newGate(t, readOf("users/author/followers/r1"))
		a := newApp(t, config.Functions{})
		a.Post("p1", "author", day)
		a.Follow("r1", "author")
		a.Settle()
		young := a.Instance(held.interceptor())
		done := make(chan error)
		go func() { done <- young.Graph.Follow(t.Context(), "author", "r1") }()
		held.await()
		a.Unfollow("r1", "author")
		a.Settle()
		a.Follow("r1", "author")
		held.open()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		a.Settle()
		a.WantFeed("r1", "p1")
		a.WantVerified()
	})
}

// Two edits of a post whose events are handled in the wrong order.
func TestRaceRefreshAndRefresh(t *testing.T) {
	t.Parallel()
	for name, match := range map[string]func(any) bool{
		"the older has planned, the newer is done":        readOf("posts/p1"),
		"the older is about to commit, the newer follows": commitOf("_relations/p1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, config.Functions{CopiedFields: []string{"text"}})
			a.Follow("r1", "author")
			a.Post("p1", "author", day)
			a.Settle()
			held := newGate(t, match)
			old := a.Instance(held.interceptor())
			a.Edit("p1", firestore.Update{Path: "userId", Value: "author"}, firestore.Update{Path: "text", Value: "one"})
			a.Settle()
			// The older instance believes that there is something to refresh.
			a.Must(a.Client.Doc("_relations/p1_00001").Update(t.Context(), []firestore.Update{{Path: "text", Value: "zero"}}))
			done := make(chan error)
			go func() { done <- old.Deliveries.Post(t.Context(), "p1") }()
			held.await()
			edited := make(chan error)
			go func() {
				_, err := a.Client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "text", Value: "two"}})
				edited <- err
			}()
			held.open()
			if err := <-edited; err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			a.Settle()
			doc, err := a.Client.Doc("_relations/p1_00001").Get(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := doc.Data()["text"]; got != "two" {
				t.Errorf("text is %q, want that of the newer edit", got)
			}
			a.WantVerified()
		})
	}
}

// A post that goes to another author while the fan-out for the first is under way.
func TestRaceFanoutAndAuthorChange(t *testing.T) {
	t.Parallel()
	for name, match := range map[string]func(any) bool{
		"the fan-out has planned":        readOf("posts/p1"),
		"the fan-out is about to commit": commitOf("_relations/p1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := newGate(t, match)
			a := newApp(t, config.Functions{}, held.interceptor())
			a.Follow("r1", "first")
			a.Follow("r2", "second")
			a.Settle()
			a.Post("p1", "first", day)
			held.await()
			changed := make(chan error)
			go func() {
				_, err := a.Client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "userId", Value: "second"}})
				changed <- err
			}()
			held.open()
			if err := <-changed; err != nil {
				t.Fatal(err)
			}
			a.Settle()
			a.WantFeed("r1")
			a.WantFeed("r2", "p1")
			a.WantVerified()
		})
	}
}

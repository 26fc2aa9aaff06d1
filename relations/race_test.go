package relations_test

import (
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// The members transaction of a follow, and the fan-out of a post.
func TestRaceFanoutAndMembers(t *testing.T) {
	t.Parallel()
	t.Run("fan-out has read the index document, then members", func(t *testing.T) {
		t.Parallel()
		held := testkit.NewGate(t, testkit.CommitOf("_relations/p1"))
		members := testkit.NewGate(t, testkit.CommitOf("users/r2/following/author"))
		a := testkit.NewApp(t, schema.Config{NoOwnPosts: true}, members.Interceptor(), held.Interceptor())
		a.Follow("r1", "author")
		a.Settle()
		a.Post("p1", "author", stories.Day)
		held.Await()
		a.Follow("r2", "author")
		members.Await()
		members.Open() // its commit waits for the fan-out's lock
		held.Open()
		a.Settle()
		a.WantFeed("r1", "p1")
		a.WantFeed("r2", "p1")
		a.WantVerified()
	})
	t.Run("members commits while the fan-out has read nothing", func(t *testing.T) {
		t.Parallel()
		held := testkit.NewGate(t, testkit.ReadOf("posts/p1"))
		a := testkit.NewApp(t, schema.Config{NoOwnPosts: true}, held.Interceptor())
		a.Follow("r1", "author")
		a.Settle()
		a.Post("p1", "author", stories.Day)
		held.Await()
		a.Follow("r2", "author")
		awaitEdge(a, "r2", "author")
		held.Open()
		a.Settle()
		a.WantFeed("r1", "p1")
		a.WantFeed("r2", "p1")
		a.WantVerified()
	})
	t.Run("members has committed but not synced, then fan-out", func(t *testing.T) {
		t.Parallel()
		held := testkit.NewGate(t, testkit.QueryOf("_relations"))
		a := testkit.NewApp(t, schema.Config{NoOwnPosts: true}, held.Interceptor())
		a.Must(a.Client.Doc("users/nobody").Set(t.Context(), map[string]any{"name": "x"}))
		a.Post("p1", "author", stories.Day)
		held.Await() // the fan-out of p1 knows of no index document yet
		a.Follow("r1", "author")
		awaitEdge(a, "r1", "author")
		held.Open()
		a.Settle()
		a.WantFeed("r1", "p1")
		a.WantVerified()
	})
}

// awaitEdge returns when the members transaction of a follow has committed.
func awaitEdge(a *testkit.App, follower, author string) {
	a.T.Helper()
	await(a, "users/"+follower+"/following/"+author, func(doc *firestore.DocumentSnapshot) bool { return doc.Exists() })
}

// await returns when a document is as ok wants it. It asks again and again: a
// listener's first answer and a write that meets it may miss each other on the emulator.
func await(a *testkit.App, path string, ok func(*firestore.DocumentSnapshot) bool) {
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
		held := testkit.NewGate(t, testkit.CommitOf("_relations/p1"))
		a := testkit.NewApp(t, schema.Config{NoOwnPosts: true}, held.Interceptor())
		a.Post("p1", "author", stories.Day)
		a.Settle()
		a.Follow("r1", "author")
		held.Await()
		a.Post("p2", "author", stories.Day.Add(time.Hour))
		await(a, "_relations/p2_00001", func(doc *firestore.DocumentSnapshot) bool { return doc.Exists() })
		held.Open()
		a.Settle()
		a.WantFeed("r1", "p2", "p1")
		a.WantVerified()
	})
	t.Run("fan-out has found no index document, then one is opened", func(t *testing.T) {
		t.Parallel()
		held := testkit.NewGate(t, testkit.QueryOf("_relations"))
		a := testkit.NewApp(t, schema.Config{NoOwnPosts: true}, held.Interceptor())
		a.Post("p1", "author", stories.Day)
		held.Await()
		a.Follow("r1", "author")
		await(a, "users/author/followers_index/00001", func(doc *firestore.DocumentSnapshot) bool {
			return doc.Exists() && doc.Data()["backfilled"] == true
		})
		held.Open()
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
		held := testkit.NewGate(t, testkit.CommitOf("_relations/p1"))
		a := testkit.NewApp(t, schema.Config{NoOwnPosts: true}, held.Interceptor())
		a.Follow("r1", "author")
		a.Settle()
		a.Post("p1", "author", stories.Day)
		held.Await()
		deleted := make(chan error)
		go func() { // waits for the lock of the fan-out's read
			_, err := a.Client.Doc("posts/p1").Delete(t.Context())
			deleted <- err
		}()
		held.Open()
		if err := <-deleted; err != nil {
			t.Fatal(err)
		}
		a.Settle()
		a.WantFeed("r1")
		a.WantVerified()
	})
	t.Run("the post is deleted and retracted, then fan-out reads it", func(t *testing.T) {
		t.Parallel()
		held := testkit.NewGate(t, testkit.ReadOf("posts/p1"))
		a := testkit.NewApp(t, schema.Config{NoOwnPosts: true}, held.Interceptor())
		a.Follow("r1", "author")
		a.Settle()
		a.Post("p1", "author", stories.Day)
		held.Await()
		a.Must(a.Client.Doc("posts/p1").Delete(t.Context()))
		if err := a.Instance().Deliveries.Post(t.Context(), "p1"); err != nil { // the retract
			t.Fatal(err)
		}
		held.Open()
		a.Settle()
		a.WantFeed("r1")
		a.WantVerified()
	})
}

// The retraction of a post, and the post coming back as it was.
func TestRaceRetractAndReturn(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(a *testkit.App, held *testkit.Gate, done <-chan error){
		"the post comes back before the retraction reads it": func(a *testkit.App, held *testkit.Gate, done <-chan error) {
			a.Post("p1", "author", stories.Day)
			if err := a.Instance().Deliveries.Post(a.T.Context(), "p1"); err != nil { // finds the relation there
				a.T.Fatal(err)
			}
			held.Open()
			if err := <-done; err != nil {
				a.T.Fatal(err)
			}
		},
		"the post comes back after the retraction": func(a *testkit.App, held *testkit.Gate, done <-chan error) {
			held.Open()
			if err := <-done; err != nil {
				a.T.Fatal(err)
			}
			a.Post("p1", "author", stories.Day)
			if err := a.Instance().Deliveries.Post(a.T.Context(), "p1"); err != nil {
				a.T.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
			a.Post("p1", "author", stories.Day)
			a.Follow("r1", "author")
			a.Settle()
			a.Silence()
			held := testkit.NewGate(t, testkit.ReadOf("posts/p1"))
			old := a.Instance(held.Interceptor())
			a.Must(a.Client.Doc("posts/p1").Delete(t.Context()))
			done := make(chan error)
			go func() { done <- old.Deliveries.Post(t.Context(), "p1") }()
			held.Await()
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
		a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
		a.Post("p1", "author", stories.Day)
		a.Follow("r1", "author")
		a.Settle()
		a.Silence() // no event repairs what the two instances leave
		held := testkit.NewGate(t, testkit.CommitOf("_relations/p1"))
		old, young := a.Instance(held.Interceptor()), a.Instance()
		a.Follow("r2", "author")
		done := make(chan error)
		go func() { done <- old.Graph.Follow(t.Context(), "author", "r2") }()
		held.Await() // about to write r2 into the relation
		a.Unfollow("r2", "author")
		if err := young.Graph.Follow(t.Context(), "author", "r2"); err != nil {
			t.Fatal(err)
		}
		held.Open()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		a.WantFeed("r1", "p1")
		a.WantFeed("r2")
		a.WantVerified()
	})
	t.Run("the older pass writes first", func(t *testing.T) {
		t.Parallel()
		held := testkit.NewGate(t, testkit.QueryOf("_relations"))
		a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
		a.Post("p1", "author", stories.Day)
		a.Follow("r1", "author")
		a.Settle()
		young := a.Instance(held.Interceptor())
		a.Must(a.Client.Doc("users/author/followers/r2").Set(t.Context(), map[string]any{}))
		done := make(chan error)
		go func() { done <- young.Graph.Follow(t.Context(), "author", "r2") }()
		held.Await()
		a.Follow("r3", "author")
		await(a, "_relations/p1_00001", func(doc *firestore.DocumentSnapshot) bool {
			return len(doc.Data()["followers"].([]any)) == 3
		})
		held.Open()
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
		held := testkit.NewGate(t, testkit.DeleteOf("users/r1/following/author"))
		a := testkit.NewApp(t, schema.Config{NoOwnPosts: true}, held.Interceptor())
		a.Post("p1", "author", stories.Day)
		a.Follow("r1", "author")
		a.Settle()
		a.Unfollow("r1", "author")
		held.Await()
		a.Follow("r1", "author")
		await(a, "users/r1/following/author", func(doc *firestore.DocumentSnapshot) bool {
			return doc.Exists() && doc.Data()["indexId"] != nil
		})
		held.Open()
		a.Settle()
		a.WantFeed("r1", "p1")
		a.WantVerified()
	})
	t.Run("the edge goes before the new follow is read", func(t *testing.T) {
		t.Parallel()
		held := testkit.NewGate(t, testkit.ReadOf("users/author/followers/r1"))
		a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
		a.Post("p1", "author", stories.Day)
		a.Follow("r1", "author")
		a.Settle()
		young := a.Instance(held.Interceptor())
		done := make(chan error)
		go func() { done <- young.Graph.Follow(t.Context(), "author", "r1") }()
		held.Await()
		a.Unfollow("r1", "author")
		a.Settle()
		a.Follow("r1", "author")
		held.Open()
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
		"the older has planned, the newer is done":        testkit.ReadOf("posts/p1"),
		"the older is about to commit, the newer follows": testkit.CommitOf("_relations/p1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}})
			a.Follow("r1", "author")
			a.Post("p1", "author", stories.Day)
			a.Settle()
			held := testkit.NewGate(t, match)
			old := a.Instance(held.Interceptor())
			a.Edit("p1", firestore.Update{Path: "userId", Value: "author"}, firestore.Update{Path: "text", Value: "one"})
			a.Settle()
			// The older instance believes that there is something to refresh.
			a.Must(a.Client.Doc("_relations/p1_00001").Update(t.Context(), []firestore.Update{{Path: "text", Value: "zero"}}))
			done := make(chan error)
			go func() { done <- old.Deliveries.Post(t.Context(), "p1") }()
			held.Await()
			edited := make(chan error)
			go func() {
				_, err := a.Client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "text", Value: "two"}})
				edited <- err
			}()
			held.Open()
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
		"the fan-out has planned":        testkit.ReadOf("posts/p1"),
		"the fan-out is about to commit": testkit.CommitOf("_relations/p1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := testkit.NewGate(t, match)
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true}, held.Interceptor())
			a.Follow("r1", "first")
			a.Follow("r2", "second")
			a.Settle()
			a.Post("p1", "first", stories.Day)
			held.Await()
			changed := make(chan error)
			go func() {
				_, err := a.Client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "userId", Value: "second"}})
				changed <- err
			}()
			held.Open()
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

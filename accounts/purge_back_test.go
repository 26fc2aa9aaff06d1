//go:build long

package accounts_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/jobdocs"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// purgeHeld deletes ada's account, and returns when its purge is held at the first
// call that matches, with how the purge ends once the gate is open. Interceptors see its calls.
func purgeHeld(a *testkit.App, match func(any) bool, interceptors ...wire.Interceptor) (held *testkit.Gate, purged <-chan error) {
	a.T.Helper()
	held = testkit.NewGate(a.T, match)
	ended := make(chan error, 1)
	a.DeleteAccount("ada")
	go func() { ended <- a.Worker(0, append(interceptors, held.Interceptor())...).Purge(a, "ada") }()
	held.Await()
	return held, ended
}

// listOf matches the query over a collection that takes the documents.
func listOf(collection string) func(any) bool {
	matches := testkit.QueryOf(collection)
	return func(req any) bool {
		q, ok := req.(*pb.RunQueryRequest)
		return ok && matches(req) && q.GetTransaction() == nil
	}
}

// A server creates the account while its purge deletes something. The page ends, and the next one
// fails the job: documents that are not yet listed stay. Then clients may create the account.
func TestPurgeFailsWhenServerRecreatesAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		held  func(any) bool
		stays []string // collections of two documents
	}{
		"its follows are ending":           {testkit.CommitOf("users/star/followers/ada"), []string{"users/ada/followers", "users/ada/followers_index", "posts", "users/ada/blocked"}},
		"its followers are going":          {testkit.CommitOf("users/ada/followers/"), []string{"users/ada/followers_index", "posts", "users/ada/blocked"}},
		"its index documents are going":    {testkit.CommitOf("users/ada/followers_index/"), []string{"posts", "users/ada/blocked"}},
		"its relations are going":          {testkit.CommitOf("_relations/p"), []string{"posts", "users/ada/blocked"}},
		"its posts are about to be found":  {listOf("posts"), []string{"posts", "users/ada/blocked"}},
		"its blocks are about to be found": {listOf("blocked"), []string{"users/ada/blocked"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
			a.Must(a.Client.Doc("posts/of star").Delete(t.Context()))
			a.Block("ada", "troll")
			a.Block("ada", "ogre")
			held, purged := purgeHeld(a, c.held)
			wantMarked(a, true)
			a.Profile("ada", map[string]any{"displayName": "Ada II"})
			held.Open()
			a.OK(<-purged)
			if job := a.PurgeJob(); job.State != chunker.Failed || !strings.Contains(job.Error.Message, "users/ada: a server has created the account again") {
				t.Errorf("the job is %s: %v", job.State, job.Error)
			}
			for _, collection := range c.stays {
				if n := a.Count(collection); n != 2 {
					t.Errorf("%s has %d documents, want 2", collection, n)
				}
			}
			if got := a.Data("users/ada")["displayName"]; got != "Ada II" {
				t.Errorf("the profile that is back has the name %v", got)
			}
			unmarked, err := a.Instance().Accounts.Unmark(t.Context(), "ada")
			a.OK(err)
			if !unmarked {
				t.Error("there was no mark")
			}
			wantMarked(a, false)
		})
	}
}

// During a purge a server writes a field of the user document, which makes no profile. The failed
// job names the field. The deletion of the document starts the purge again.
func TestPurgeFailsWhenServerWritesFieldOfUser(t *testing.T) {
	t.Parallel()
	a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
	a.Block("ada", "troll")
	held, purged := purgeHeld(a, testkit.CommitOf("users/ada/followers/"))
	fields := map[string]any{"lastSeen": "secret", "d": 4, "b": 2, "c": 3}
	a.Must(a.Client.Doc("users/ada").Set(t.Context(), fields, firestore.MergeAll))
	held.Open()
	a.OK(<-purged)
	failed := a.PurgeJob()
	if message := failed.Error.Message; failed.State != chunker.Failed || !strings.HasSuffix(message, `delete the user document. Fields of the profile: ["b" "c" "d"]`) || strings.Contains(message, "secret") {
		t.Errorf("the job is %s: %s", failed.State, message)
	}
	a.Wake()
	a.DeleteAccount("ada")
	a.Settle()
	if job := a.PurgeJob(); job.State != chunker.Done || job.Args != nil || job.Error != nil || job.Generation == failed.Generation {
		t.Errorf("the job is %s for %q, of %v, with the error %v", job.State, job.Generation, job.Args, job.Error)
	}
	wantEnded(a, 0)
	a.WantGone("ada")
	a.WantVerified()
}

// wantMarked is that no client may create ada's account, or that one may.
func wantMarked(a *testkit.App, want bool) {
	a.T.Helper()
	snaps, err := a.Client.GetAll(a.T.Context(), []*firestore.DocumentRef{a.Client.Doc("_purging/ada")})
	a.OK(err)
	if mark := snaps[0]; mark.Exists() != want || len(mark.Data()) > 0 {
		a.T.Errorf("there is a mark: %t with %v, want %t", mark.Exists(), mark.Data(), want)
	}
}

// wantEnded is that ada's purge ended so long ago, or is about to by a clock ahead, and no client may create the account for
// an hour from then.
func wantEnded(a *testkit.App, ago time.Duration) {
	a.T.Helper()
	mark := a.Data("_purging/ada")
	until, _ := mark["expireAt"].(time.Time)
	if left := time.Until(until) + ago; len(mark) != 1 || left > time.Hour || left < 55*time.Minute {
		a.T.Errorf("the mark has %v, want the time an hour after the purge", mark)
	}
}

// The account exists again when the first page reads it: its event was late, or the deletion was a
// mistake. The purge deletes nothing, and reports no failure.
func TestPurgeDeletesNothingOfAccountRecreatedBeforeIt(t *testing.T) {
	t.Parallel()
	for name, begun := range map[string]bool{"its job is queued": false, "its first transaction has committed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
			before := testkit.Documents(t, a.Client, nil)
			a.DeleteAccount("ada")
			w := a.Worker(0)
			a.OK(w.Index.Accounts.Purge(t.Context(), "ada", "1", ""))
			if begun { // its process dies before the receipt is stored
				held := testkit.NewGate(t, countOf)
				dies := make(chan error, 1)
				ctx, cancel := context.WithCancel(t.Context())
				job, dying := a.PurgeJob(), a.Worker(0, held.Interceptor())
				go func() { dies <- dying.Run(ctx, job.ID, chunker.NewBudget(ctx, time.Now(), time.Minute, 0, nil)) }()
				held.Await()
				cancel()
				held.Open()
				t.Log("the step that died: ", <-dies)
				wantMarked(a, true)
				w = a.Worker(time.Hour)
			}
			testkit.Write(t, a.Client, map[string]map[string]any{"users/ada": before["users/ada"]})
			a.OK(w.Finish(a))
			_, err := w.Index.Accounts.Unmark(t.Context(), "ada") // the event of the job that is gone
			a.OK(err)
			after := testkit.Documents(t, a.Client, nil)
			maps.DeleteFunc(after, func(path string, _ map[string]any) bool { return strings.HasPrefix(path, "_tombstones/") })
			testkit.Same(t, "the purge changed", before, after)
			a.WantVerified()
		})
	}
}

// countOf matches an aggregation query: the receipt.
func countOf(req any) bool {
	_, ok := req.(*pb.RunAggregationQueryRequest)
	return ok
}

// A purge that an operator retries continues where it stopped, and writes its mark again. So does a purge whose mark was
// deleted, or is that of an earlier purge: it must not run out.
func TestRetriedPurgeWritesItsMarkAgain(t *testing.T) {
	t.Parallel()
	for name, old := range map[string]map[string]any{"there is none": nil, "an earlier purge has one": {"expireAt": time.Now().Add(time.Minute)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
			a.DeleteAccount("ada")
			w := a.Worker(0)
			a.OK(w.Index.Accounts.Purge(t.Context(), "ada", "1", ""))
			purge := a.PurgeJob().ID
			for w.Step(a, purge).Phase < 3 {
			}
			wantMarked(a, true)
			_, err := w.Cancel(t.Context(), purge)
			a.OK(err)
			for range 2 { // its event comes twice
				_, err = w.Index.Accounts.Unmark(t.Context(), "ada")
				a.OK(err)
			}
			wantMarked(a, false)
			if old != nil {
				testkit.Write(t, a.Client, map[string]map[string]any{"_purging/ada": old})
			}
			_, err = w.Retry(t.Context(), purge)
			a.OK(err)
			for w.Step(a, purge).Phase < 5 {
			}
			wantMarked(a, true)
			unmarked, err := w.Index.Accounts.Unmark(t.Context(), "ada") // the event comes late
			a.OK(err)
			if unmarked {
				t.Error("the mark of a purge that is under way has gone")
			}
			a.OK(w.Finish(a))
			wantEnded(a, 0)
			a.WantGone("ada")
			a.WantVerified()
		})
	}
}

// The last page of a purge is about to end the mark when another step has ended the purge. Then the
// account was created and deleted again: the mark is the next purge's.
func TestLatePageKeepsMarkOfNextPurge(t *testing.T) {
	t.Parallel()
	a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
	w := a.Worker(0)
	a.DeleteAccount("ada")
	a.OK(w.Index.Accounts.Purge(t.Context(), "ada", "1", ""))
	purge := a.PurgeJob().ID
	for job := a.PurgeJob(); job.Phase < job.Phases-1; job = w.Step(a, purge) {
	}
	held := testkit.NewGate(t, func(req any) bool { _, begins := req.(*pb.BeginTransactionRequest); return begins })
	late := make(chan error, 1)
	step := a.Worker(0, held.Interceptor())
	go func() {
		late <- step.Run(t.Context(), purge, chunker.NewBudget(t.Context(), time.Now(), time.Minute, 0, nil))
	}()
	held.Await()
	next := a.Worker(2 * time.Minute)
	a.OK(next.Finish(a))
	a.WantGone("ada")
	a.Profile("ada", map[string]any{"displayName": "Ada II"})
	a.DeleteAccount("ada")
	a.OK(next.Index.Accounts.Purge(t.Context(), "ada", "2", ""))
	next.Step(a, purge)
	wantMarked(a, true)
	held.Open()
	a.OK(<-late) // it has lost its lease
	wantMarked(a, true)
	a.OK(a.Worker(4 * time.Minute).Finish(a))
	a.WantGone("ada")
}

// A reopened index document begins at the version that the job of its predecessor has
// covered. It still gets a job.
func TestReopenedIndexDocumentGetsItsOwnJob(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, InlineLimit: 1})
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	for n := range 2 {
		a.Post(fmt.Sprintf("p%d", n), "ada", stories.Day.Add(time.Duration(n)*time.Hour))
	}
	a.Follow("fan", "ada")
	a.Settle()
	a.WantFeed("fan", "p1", "p0")
	a.Silence()
	a.DeleteAccount("ada")
	a.OK(a.Worker(0).Purge(a, "ada"))
	a.Profile("ada", map[string]any{"displayName": "Ada II"})
	for n := range 2 {
		a.Post(fmt.Sprintf("p%d", n), "ada", stories.Day.Add(time.Duration(n)*time.Hour))
	}
	a.Follow("new", "ada")
	a.FollowEvents(a.Instance(), [2]string{"ada", "new"})
	a.OK(a.Worker(0).Finish(a))
	a.WantFeed("new", "p1", "p0")
	a.WantVerified()
}

// A step hangs at its first list, or at a write that no transaction guards, until
// another has ended the purge and the account has a new life.
func TestLatePurgeStepDeletesNothingOfNewAccount(t *testing.T) {
	t.Parallel()
	for name, match := range map[string]func(any) bool{
		"follows":           listOf("following"),
		"a follow":          testkit.DeleteOf("users/star/followers/ada"),
		"followers":         listOf("followers"),
		"index documents":   listOf("followers_index"),
		"an index document": testkit.DeleteOf("users/ada/followers_index/00002"),
		"relations":         listOf("_relations"),
		"a relation":        testkit.CommitOf("_relations/p"),
		"posts":             listOf("posts"),
		"blocks":            listOf("blocked"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
			a.DeleteAccount("ada")
			held := testkit.NewGate(t, match)
			late := make(chan error, 1)
			go func() { late <- a.Worker(0, held.Interceptor()).Purge(a, "ada") }()
			held.Await()
			a.OK(a.Worker(2 * time.Minute).Finish(a))
			a.WantGone("ada")
			a.Profile("ada", map[string]any{"displayName": "Ada II"})
			a.Follow("fan0", "ada")
			a.Follow("new", "ada")
			a.Follow("ada", "star")
			a.Post("p0", "ada", stories.Day)
			a.Block("ada", "troll")
			x := a.Instance()
			a.FollowEvents(x, [2]string{"ada", "fan0"}, [2]string{"ada", "new"}, [2]string{"star", "ada"})
			a.OK(x.Deliveries.Post(t.Context(), "p0"))
			a.WantVerified()
			before := testkit.Documents(t, a.Client, nil)
			held.Open()
			testkit.NoError(t, <-late)
			testkit.Same(t, "the late step changed", before, testkit.Documents(t, a.Client, nil))
		})
	}
}

// The purge has listed a post. Before it deletes the post, the post gets another author.
func TestPurgeKeepsJobOfPostGivenToAnotherAuthor(t *testing.T) {
	t.Parallel()
	a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
	engine := chunker.New(a.Client, chunker.Options{})
	a.OK(engine.Enqueue(t.Context(), chunker.Spec{ID: "post:p0~00001-", Kind: "relations.post"}))
	if _, err := engine.Cancel(t.Context(), "post:p0~00001-"); err != nil {
		t.Fatal(err)
	}
	held, purged := purgeHeld(a, func(req any) bool {
		return testkit.CommitOf("posts/p0")(req) || testkit.CommitOf("_functions/post:p0~00001-")(req)
	})
	a.Edit("p0", firestore.Update{Path: "userId", Value: "bob"})
	held.Open()
	a.OK(<-purged)
	if _, err := engine.Get(t.Context(), "post:p0~00001-"); err != nil {
		t.Error("bob's post has lost its job:", err)
	}
	if got := a.Data("posts/p0")["userId"]; got != "bob" {
		t.Errorf("the post is %v's, want bob's", got)
	}
}

// A post's event plans to replace bob's relation by ada's. Then ada's index document is
// deleted: bob's relation must be deleted all the same.
func TestPostGivenToAccountDuringItsPurgeLeavesNoRelation(t *testing.T) {
	t.Parallel()
	a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true, KeepPosts: true})
	x := a.Instance()
	a.Follow("reader", "bob")
	a.Post("p", "bob", stories.Day)
	a.FollowEvents(x, [2]string{"bob", "reader"})
	a.OK(x.Deliveries.Post(t.Context(), "p"))
	a.WantFeed("reader", "p")
	a.Edit("p", firestore.Update{Path: "userId", Value: "ada"})
	held := testkit.NewGate(t, testkit.ReadOf("posts/p"))
	event := make(chan error, 1)
	go func() { event <- a.Instance(held.Interceptor()).Deliveries.Post(t.Context(), "p") }()
	held.Await()
	a.DeleteAccount("ada")
	a.OK(a.Worker(0).Purge(a, "ada"))
	held.Open()
	a.OK(<-event)
	a.WantFeed("reader")
	a.WantVerified()
}

// A job that failed before the purge names the account's document in its error.
func TestPurgeRemovesAccountFromFailedJobs(t *testing.T) {
	t.Parallel()
	a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
	a.Must(a.Client.Doc("_functions/post:gone").Set(t.Context(), map[string]any{
		"kind": "relations.post", "state": "failed", "args": map[string]any{"post": "gone"},
		"error": jobdocs.FailureOf("InvalidArgument", "job post:gone: users/ada/followers_index/00001 is full", stories.Day),
	}))
	a.Must(a.Client.Doc("_functions/post:other").Set(t.Context(), map[string]any{
		"kind": "relations.post", "state": "failed", "args": map[string]any{"post": "other"},
		"error": jobdocs.FailureOf("InvalidArgument", "users/adam is a name that begins alike", stories.Day),
	}))
	a.DeleteAccount("ada")
	a.OK(a.Worker(0).Purge(a, "ada"))
	a.WantGone("ada")
	if job := a.Job("post:gone"); job.State != chunker.Failed || job.Error.Code != "InvalidArgument" {
		t.Errorf("the job is %s with %v, want failed, and why in a word", job.State, job.Error)
	}
	if got := a.Job("post:other").Error.Message; got != "users/adam is a name that begins alike" {
		t.Errorf("another's job says %q", got)
	}
}

//go:build long

package accounts_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// The job of an index document has copied some posts. Then the document is removed, and
// opened again. The job's cursor says nothing of the new document.
func TestBackfillRestartsForReopenedIndexDocument(t *testing.T) {
	t.Parallel()
	posts := func(a *testkit.App, author string) {
		for n := range 5 {
			a.Post(fmt.Sprintf("p%d", n), author, stories.Day.Add(time.Duration(n)*time.Hour))
		}
	}
	t.Run("a purge", func(t *testing.T) {
		t.Parallel()
		a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, InlineLimit: 1, Chunk: 2})
		a.Profile("ada", map[string]any{"displayName": "Ada"})
		posts(a, "ada")
		a.Follow("fan", "ada")
		w := a.Worker(0)
		a.FollowEvents(w.Index, [2]string{"ada", "fan"})
		if job := w.Step(a, "index:ada:00001"); job.LastDoc == nil || job.State != chunker.Queued {
			t.Fatalf("the job is %+v", job)
		}
		// the event of its next hop comes late
		a.DeleteAccount("ada")
		a.OK(w.Index.Accounts.Purge(t.Context(), "ada", "1", ""))
		w.Alone(a, a.PurgeJob().ID)
		a.Profile("ada", map[string]any{"displayName": "Ada II"})
		posts(a, "ada")
		a.Follow("new", "ada")
		a.FollowEvents(a.Instance(), [2]string{"ada", "new"})
		a.OK(w.Finish(a))
		a.WantFeed("new", "p4", "p3", "p2", "p1", "p0")
		a.WantVerified()
	})
	t.Run("a merge", func(t *testing.T) {
		t.Parallel()
		a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, InlineLimit: 1, Chunk: 2, Capacity: 2})
		posts(a, "author")
		w := a.Worker(0)
		a.FollowAll([]string{"r1", "r2"}, true)
		a.OK(w.Finish(a))
		a.Follow("r3", "author")
		a.FollowEvents(w.Index, [2]string{"author", "r3"})
		if job := w.Step(a, "index:author:00002"); job.LastDoc == nil || job.State != chunker.Queued {
			t.Fatalf("the job is %+v", job)
		}
		a.FollowAll([]string{"r1"}, false)
		w.Alone(a, "index:author:00001")
		if _, err := a.Merge(nil); err != nil {
			t.Fatal(err)
		}
		a.FollowAll([]string{"r9"}, true)
		a.OK(w.Finish(a))
		a.WantFeed("r9", "p4", "p3", "p2", "p1", "p0")
		a.WantVerified()
	})
}

// The account is purged between the edges and the follower documents of an import.
func TestPurgeDuringImportLeavesDatabaseSound(t *testing.T) {
	t.Parallel()
	for _, back := range []bool{false, true} {
		t.Run(map[bool]string{false: "the account is gone", true: "the account is back"}[back], func(t *testing.T) {
			t.Parallel()
			a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true})
			a.Profile("ada", map[string]any{"displayName": "Ada"})
			var placed atomic.Bool
			place := testkit.CommitOf("users/fan/following/ada")
			held := testkit.NewGate(t, func(req any) bool {
				_, begins := req.(*pb.BeginTransactionRequest)
				return begins && placed.Load() || place(req) && placed.Swap(true)
			})
			adopted := make(chan error, 1)
			go func() {
				adopted <- load.New(a.Instance(held.Interceptor())).Adopt(t.Context(), []load.Follows{{Author: "ada", Followers: []string{"fan"}}}, load.Options{})
			}()
			held.Await()
			a.DeleteAccount("ada")
			a.OK(a.Worker(0).Purge(a, "ada"))
			if back {
				a.Profile("ada", map[string]any{"displayName": "Ada II"})
				a.Follow("new", "ada")
				a.FollowEvents(a.Instance(), [2]string{"ada", "new"})
			}
			held.Open()
			a.OK(<-adopted)
			for range 3 {
				a.FollowEvents(a.Instance(), [2]string{"ada", "fan"})
			}
			if !back {
				a.WantGone("ada")
				return
			}
			a.Post("p9", "ada", stories.Day)
			a.OK(a.Instance().Deliveries.Post(t.Context(), "p9"))
			if a.Follows("fan", "ada") {
				a.WantFeed("fan", "p9")
			}
			a.WantVerified()
		})
	}
}

// A repair is about to mend an index document when the account is purged.
func TestRepairDoesNotRestorePurgedIndexDocument(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	a.Must(a.Client.Doc("users/author/followers_index/00001").Update(t.Context(), []firestore.Update{{Path: "backfilled", Value: false}}))
	held := testkit.NewGate(t, testkit.ReadOf("users/author/followers_index/00001"))
	repaired := make(chan error, 1)
	go func() {
		_, err := repair.New(a.Instance(held.Interceptor())).Repair(t.Context(), "", nil, nil)
		repaired <- err
	}()
	held.Await()
	a.DeleteAccount("author")
	a.OK(a.Worker(0).Purge(a, "author"))
	a.WantGone("author")
	if t.Failed() {
		t.Fatal("the purge itself left something: this shows nothing")
	}
	held.Open()
	a.OK(<-repaired)
	a.WantGone("author")
}

// The job of a miscounted index document has read it when the account is purged.
func TestRepairJobDoesNotRestorePurgedIndexDocument(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	a.Must(a.Client.Doc("users/author/followers_index/00001").Update(t.Context(), []firestore.Update{{Path: "count", Value: 7}, {Path: "backfilled", Value: false}}))
	a.Follow("x", "author")
	engine := chunker.New(a.Client, chunker.Options{})
	a.OK(engine.Enqueue(t.Context(), chunker.Spec{ID: "index:author:00001", Kind: "relations.index", Args: map[string]string{"author": "author", "index": "00001"}, Generation: "damaged"}))
	held := testkit.NewGate(t, testkit.ReadOf("users/author/followers_index/00001"))
	mended := make(chan struct{})
	go func() {
		defer close(mended)
		budget := chunker.NewBudget(t.Context(), time.Now(), time.Minute, 0, nil).Yield(time.Nanosecond)
		t.Log("the step: ", a.Worker(0, held.Interceptor()).Run(t.Context(), "index:author:00001", budget))
	}()
	held.Await()
	a.DeleteAccount("author")
	w := a.Worker(0)
	a.OK(w.Index.Accounts.Purge(t.Context(), "author", "1", ""))
	w.Alone(a, a.PurgeJob().ID)
	a.WantGone("author")
	if t.Failed() {
		t.Fatal("the purge itself left something: this shows nothing")
	}
	held.Open()
	<-mended
	a.WantGone("author")
}

// Nothing is damaged. A repair meets an account in the middle of its purge.
func TestRepairDuringPurgeRestoresNothing(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	w := a.Worker(0)
	a.DeleteAccount("author")
	a.OK(w.Index.Accounts.Purge(t.Context(), "author", "1", ""))
	purge := a.PurgeJob().ID
	for w.Step(a, purge).Phase < 4 { // followers have gone
	}
	held := testkit.NewGate(t, func(req any) bool {
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		return ok && len(get.GetDocuments()) == 1 && testkit.ReadOf("users/author/followers_index/00001")(req)
	})
	repaired := make(chan error, 1)
	go func() {
		_, err := repair.New(a.Instance(held.Interceptor())).Repair(t.Context(), "", nil, nil)
		repaired <- err
	}()
	held.Await()
	w.Alone(a, purge)
	a.WantGone("author")
	if t.Failed() {
		t.Fatal("the purge itself left something: this shows nothing")
	}
	held.Open()
	t.Log("repair: ", <-repaired)
	a.WantGone("author")
}

package functions_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/config"
)

// step runs one page of a job, and returns the job after it.
func (w worker) step(a *app, id string) chunker.Job {
	a.T.Helper()
	budget := chunker.NewBudget(a.T.Context(), time.Now(), time.Minute, 0, nil).Yield(time.Nanosecond)
	if err := w.Run(a.T.Context(), id, budget); err != nil {
		a.T.Errorf("step of %s: %v", id, err)
	}
	job, err := w.Get(a.T.Context(), id)
	if err != nil && !errors.Is(err, chunker.ErrNotFound) {
		a.T.Error(err)
	}
	return job
}

// alone runs one job to its end, and no other.
func (w worker) alone(a *app, id string) {
	a.T.Helper()
	for range 50 {
		if job := w.step(a, id); job.State.Finished() || job.State == "" {
			return
		}
	}
	a.T.Errorf("%s has not ended", id)
}

// The job of an index document has copied some posts. Then the document is removed, and
// opened again. The job's cursor says nothing of the new document.
func TestABackfillOfAFormerLifeBeginsAgain(t *testing.T) {
	t.Parallel()
	posts := func(a *app, author string) {
		for n := range 5 {
			a.Post(fmt.Sprintf("p%d", n), author, day.Add(time.Duration(n)*time.Hour))
		}
	}
	t.Run("a purge", func(t *testing.T) {
		t.Parallel()
		a := openApp(t, config.Functions{InlineLimit: 1, Chunk: 2})
		a.Profile("ada", map[string]any{"displayName": "Ada"})
		posts(a, "ada")
		a.Follow("fan", "ada")
		w := a.worker(0)
		a.events(w.index, [2]string{"ada", "fan"})
		if job := w.step(a, "index:ada:00001"); job.LastDoc == nil || job.State != chunker.Queued {
			t.Fatalf("the job is %+v", job)
		}
		// the event of its next hop comes late
		a.DeleteAccount("ada")
		a.ok(w.index.Accounts.Purge(t.Context(), "ada", "1", ""))
		w.alone(a, a.PurgeJob().ID)
		a.Profile("ada", map[string]any{"displayName": "Ada II"})
		posts(a, "ada")
		a.Follow("new", "ada")
		a.events(a.Instance(), [2]string{"ada", "new"})
		a.ok(w.finish(a))
		a.WantFeed("new", "p4", "p3", "p2", "p1", "p0")
		a.WantVerified()
	})
	t.Run("a merge", func(t *testing.T) {
		t.Parallel()
		a := openApp(t, config.Functions{InlineLimit: 1, Chunk: 2, Capacity: 2})
		posts(a, "author")
		w := a.worker(0)
		a.followAll([]string{"r1", "r2"}, true)
		a.ok(w.finish(a))
		a.Follow("r3", "author")
		a.events(w.index, [2]string{"author", "r3"})
		if job := w.step(a, "index:author:00002"); job.LastDoc == nil || job.State != chunker.Queued {
			t.Fatalf("the job is %+v", job)
		}
		a.followAll([]string{"r1"}, false)
		w.alone(a, "index:author:00001")
		if _, err := a.merge(nil); err != nil {
			t.Fatal(err)
		}
		a.followAll([]string{"r9"}, true)
		a.ok(w.finish(a))
		a.WantFeed("r9", "p4", "p3", "p2", "p1", "p0")
		a.WantVerified()
	})
}

// The account is purged between the edges and the follower documents of an import.
func TestAnImportAcrossAPurge(t *testing.T) {
	t.Parallel()
	for _, back := range []bool{false, true} {
		t.Run(map[bool]string{false: "the account is gone", true: "the account is back"}[back], func(t *testing.T) {
			t.Parallel()
			a := openApp(t, config.Functions{})
			a.Profile("ada", map[string]any{"displayName": "Ada"})
			var placed atomic.Bool
			place := commitOf("users/fan/following/ada")
			held := newGate(t, func(req any) bool {
				_, begins := req.(*pb.BeginTransactionRequest)
				return begins && placed.Load() || place(req) && placed.Swap(true)
			})
			adopted := make(chan error, 1)
			go func() {
				adopted <- load.New(a.Instance(held.interceptor())).Adopt(t.Context(), []load.Follows{{Author: "ada", Followers: []string{"fan"}}}, load.Options{})
			}()
			held.await()
			a.DeleteAccount("ada")
			a.ok(a.worker(0).purge(a, "ada"))
			if back {
				a.Profile("ada", map[string]any{"displayName": "Ada II"})
				a.Follow("new", "ada")
				a.events(a.Instance(), [2]string{"ada", "new"})
			}
			held.open()
			a.ok(<-adopted)
			for range 3 {
				a.events(a.Instance(), [2]string{"ada", "fan"})
			}
			if !back {
				a.WantGone("ada")
				return
			}
			a.Post("p9", "ada", day)
			a.ok(a.Instance().Deliveries.Post(t.Context(), "p9"))
			if a.Follows("fan", "ada") {
				a.WantFeed("fan", "p9")
			}
			a.WantVerified()
		})
	}
}

// A repair is about to mend an index document when the account is purged.
func TestARepairDoesNotBringBackAPurgedIndexDocument(t *testing.T) {
	t.Parallel()
	a := soundApp(t)
	a.Must(a.Client.Doc("users/author/followers_index/00001").Update(t.Context(), []firestore.Update{{Path: "backfilled", Value: false}}))
	held := newGate(t, readOf("users/author/followers_index/00001"))
	repaired := make(chan error, 1)
	go func() {
		_, err := repair.New(a.Instance(held.interceptor())).Repair(t.Context(), "", nil, nil)
		repaired <- err
	}()
	held.await()
	a.DeleteAccount("author")
	a.ok(a.worker(0).purge(a, "author"))
	a.WantGone("author")
	if t.Failed() {
		t.Fatal("the purge itself left something: this shows nothing")
	}
	held.open()
	a.ok(<-repaired)
	a.WantGone("author")
}

// The job of a miscounted index document has read it when the account is purged.
func TestAJobThatMendsDoesNotBringBackAPurgedIndexDocument(t *testing.T) {
	t.Parallel()
	a := soundApp(t)
	a.Must(a.Client.Doc("users/author/followers_index/00001").Update(t.Context(), []firestore.Update{{Path: "count", Value: 7}, {Path: "backfilled", Value: false}}))
	a.Follow("x", "author")
	engine := chunker.New(a.Client, chunker.Options{})
	a.ok(engine.Enqueue(t.Context(), chunker.Spec{ID: "index:author:00001", Kind: "relations.index", Args: map[string]string{"author": "author", "index": "00001"}, Generation: "damaged"}))
	held := newGate(t, readOf("users/author/followers_index/00001"))
	mended := make(chan struct{})
	go func() {
		defer close(mended)
		budget := chunker.NewBudget(t.Context(), time.Now(), time.Minute, 0, nil).Yield(time.Nanosecond)
		t.Log("the step: ", a.worker(0, held.interceptor()).Run(t.Context(), "index:author:00001", budget))
	}()
	held.await()
	a.DeleteAccount("author")
	w := a.worker(0)
	a.ok(w.index.Accounts.Purge(t.Context(), "author", "1", ""))
	w.alone(a, a.PurgeJob().ID)
	a.WantGone("author")
	if t.Failed() {
		t.Fatal("the purge itself left something: this shows nothing")
	}
	held.open()
	<-mended
	a.WantGone("author")
}

// Nothing is damaged. A repair meets an account in the middle of its purge.
func TestARepairInTheMiddleOfAPurge(t *testing.T) {
	t.Parallel()
	a := soundApp(t)
	w := a.worker(0)
	a.DeleteAccount("author")
	a.ok(w.index.Accounts.Purge(t.Context(), "author", "1", ""))
	purge := a.PurgeJob().ID
	for w.step(a, purge).Phase < 4 { // followers have gone
	}
	held := newGate(t, func(req any) bool {
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		return ok && len(get.GetDocuments()) == 1 && readOf("users/author/followers_index/00001")(req)
	})
	repaired := make(chan error, 1)
	go func() {
		_, err := repair.New(a.Instance(held.interceptor())).Repair(t.Context(), "", nil, nil)
		repaired <- err
	}()
	held.await()
	w.alone(a, purge)
	a.WantGone("author")
	if t.Failed() {
		t.Fatal("the purge itself left something: this shows nothing")
	}
	held.open()
	t.Log("repair: ", <-repaired)
	a.WantGone("author")
}

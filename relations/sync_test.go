package relations_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A pass of sync waits for its turn, and continues with an index document that has changed
// meanwhile. It must keep changes that a relation needs which was up to date when the pass
// began.
func TestSyncKeepsChangesThatARelationNeeds(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	const followers = 20
	a.Post("p1", "author", stories.Day)
	a.Post("p2", "author", stories.Day)
	for n := range followers {
		a.Follow(fmt.Sprintf("r%d", n), "author")
	}
	a.Settle()
	a.Silence()
	const document = "users/author/followers_index/00001"
	for n := 0; n < followers; n += 2 {
		first, second := fmt.Sprintf("r%d", n), fmt.Sprintf("r%d", n+1)
		query := testkit.NewGate(t, testkit.QueryOf("_relations"))
		var queried atomic.Bool
		again := testkit.NewGate(t, func(req any) bool { // the pass has waited, and reads the index document once more
			if testkit.QueryOf("_relations")(req) {
				queried.Store(true)
			}
			get, ok := req.(*pb.BatchGetDocumentsRequest)
			return ok && queried.Load() && strings.HasSuffix(get.GetDocuments()[0], "/documents/"+document)
		})
		a.Unfollow(first, "author")
		ended := make(chan error, 1)
		go func() {
			ended <- a.Instance(query.Interceptor(), again.Interceptor()).Graph.Follow(t.Context(), "author", first)
		}()
		query.Await()
		a.Must(a.Client.Doc("_relations/p2_00001").Update(t.Context(), []firestore.Update{{Path: "touched", Value: n}})) // by another process, just now
		query.Open()
		select {
		case err := <-ended: // the machine was so slow that it had nothing to wait for
			if err != nil {
				t.Fatal(err)
			}
			continue
		case <-again.Reached():
		}
		version := a.Data(document)["version"].(int64)
		a.Unfollow(second, "author")
		if err := a.Instance(faults.NewDeath(1).Interceptor()).Graph.Follow(t.Context(), "author", second); err == nil {
			t.Fatal("it did not die after the members transaction")
		}
		a.Must(a.Client.Doc("_relations/p1_00001").Update(t.Context(), []firestore.Update{
			{Path: "indexVersion", Value: version}, {Path: "followers", Value: firestore.ArrayRemove(first)},
		}))
		again.Open()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		index, relation := a.Data(document), a.Data("_relations/p1_00001")
		changes, _ := index["changes"].([]any)
		if relation["indexVersion"] != index["version"] && len(changes) == 0 {
			t.Errorf("the change log has %d changes, and the relation is at version %v of %v", len(changes), relation["indexVersion"], index["version"])
		}
		if err := a.Instance().Graph.Follow(t.Context(), "author", second); err != nil {
			t.Error(err)
		}
		a.WantFeed(first)
		a.WantFeed(second)
		return
	}
	t.Error("no pass had to wait")
}

// The backfill of an index document is done and about to be marked. Meanwhile the account is
// purged, created again, and opens an index document of the same name.
func TestReopenedIndexDocumentIsNotMarkedBackfilled(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.Silence()
	a.Post("p1", "author", stories.Day)
	a.Follow("r1", "author")
	mark := testkit.NewGate(t, func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		return ok && slices.Equal(commit.GetWrites()[0].GetUpdateMask().GetFieldPaths(), []string{"backfilled"})
	})
	ended := make(chan error, 1)
	go func() { ended <- a.Instance(mark.Interceptor()).Graph.Follow(t.Context(), "author", "r1") }()
	mark.Await()
	const document = "users/author/followers_index/00001"
	for _, path := range []string{document, "_relations/p1_00001", "users/r1/following/author"} {
		a.Must(a.Client.Doc(path).Delete(t.Context()))
	}
	a.Must(a.Client.Doc(document).Create(t.Context(), map[string]any{
		"followers": []string{"r9"}, "count": 1, "sizeBytes": 3, "version": 1, "changes": []any{}, "backfilled": false,
	}))
	mark.Open()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if a.Data(document)["backfilled"] == true && a.Count("_relations") == 0 {
		t.Error("it is marked, and there is no relation for it")
	}
	a.Follow("r9", "author")
	a.Must(a.Client.Doc("users/r9/following/author").Set(t.Context(), map[string]any{"indexId": "00001", "createdAt": stories.Day.Add(time.Hour)}))
	if err := a.Instance().Graph.Follow(t.Context(), "author", "r9"); err != nil {
		t.Error(err)
	}
	a.WantFeed("r9", "p1")
}

// The backfill of an index document is done and about to be marked. Meanwhile the document is
// damaged, a post skips it, and a job repairs it and dies: the post still needs a backfill.
func TestRepairedIndexDocumentIsNotMarkedBackfilled(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.Silence()
	a.Post("p1", "author", stories.Day)
	a.Follow("r1", "author")
	mark := testkit.NewGate(t, func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		return ok && slices.Equal(commit.GetWrites()[0].GetUpdateMask().GetFieldPaths(), []string{"backfilled"})
	})
	ended := make(chan error, 1)
	go func() { ended <- a.Instance(mark.Interceptor()).Graph.Follow(t.Context(), "author", "r1") }()
	mark.Await()
	a.Damage("users/author/followers_index/00001", testkit.Mendable)
	a.Post("p2", "author", stories.Day.Add(time.Hour))
	if err := a.Instance().Deliveries.Post(t.Context(), "p2"); err != nil {
		t.Error(err)
	}
	if _, err := a.Instance().Graph.MendIndexDocument(t.Context(), "author", "00001", nil); err != nil { // the job's first write
		t.Fatal(err)
	}
	mark.Open()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := a.Worker(0).Finish(a); err != nil {
		t.Error(err)
	}
	a.WantFeed("r1", "p2", "p1")
	a.WantVerified()
}

// The job of an index document has covered its version, or failed at it. The document
// is restored as it was, and its relations are not.
func TestRestoredIndexDocumentRunsItsJobAgain(t *testing.T) {
	t.Parallel()
	for _, end := range []chunker.State{chunker.Done, chunker.Failed} {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, InlineLimit: 2})
			w := a.Worker(0)
			for n := range 4 {
				a.Post(fmt.Sprintf("p%d", n), "author", stories.Day.Add(time.Duration(n)*time.Hour))
			}
			follow := func() {
				t.Helper()
				a.FollowEvents(w.Index, [2]string{"author", "r1"})
				if err := w.Finish(a); err != nil {
					t.Fatal(err)
				}
			}
			a.Follow("r1", "author")
			follow()
			a.WantFeed("r1", "p3", "p2", "p1", "p0")
			const document = "users/author/followers_index/00001"
			a.Must(a.Client.Doc("_functions/index:author:00001").Update(t.Context(), []firestore.Update{{Path: "state", Value: end}}))
			a.Renew(document)
			a.Must(a.Client.Doc(document).Update(t.Context(), []firestore.Update{{Path: "backfilled", Value: false}}))
			for n := range 4 {
				a.Must(a.Client.Doc(fmt.Sprintf("_relations/p%d_00001", n)).Delete(t.Context()))
			}
			follow()
			a.WantFeed("r1", "p3", "p2", "p1", "p0")
			a.WantVerified()
		})
	}
}

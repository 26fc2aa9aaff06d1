//go:build long

package audit_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// unarmedGate lets everything pass until it is armed.
func unarmedGate(t testing.TB, match func(req any) bool) *testkit.Gate {
	g := testkit.NewGate(t, match)
	g.Armed.Store(false)
	return g
}

// mergeSoundly merges what nothing is in the way of, and leaves so many index documents.
func mergeSoundly(a *testkit.App, documents int) {
	a.T.Helper()
	repaired, err := a.Merge(nil)
	a.OK(err)
	if repaired.After.Violations > 0 {
		a.T.Errorf("after the merge: %v", repaired.Left)
	}
	if n := a.IndexDocuments(); n != documents {
		a.T.Errorf("%d index documents, want %d", n, documents)
	}
	a.WantSound()
}

// halfEmpty are the documents of an author with two posts, and of two followers in each
// index document some have left: r2 is in the first, r4 in the second, r5 and r6 in the third, which is current.
func halfEmpty(t *testing.T) (schema.Config, map[string]map[string]any) {
	cfg := schema.Config{NoOwnPosts: true, Capacity: 2}
	a := testkit.OpenApp(t, cfg)
	for n := range 2 {
		p := fmt.Sprint("p", n)
		a.Post(p, "author", stories.Day.Add(time.Duration(n)*time.Hour))
		a.OK(a.Instance().Deliveries.Post(t.Context(), p))
	}
	for _, pair := range [][]string{{"r1", "r2"}, {"r3", "r4"}, {"r5", "r6"}} {
		a.FollowAll(pair, true)
	}
	a.FollowAll([]string{"r1", "r3"}, false)
	if n := a.IndexDocuments(); n != 3 {
		t.Fatalf("%d index documents, want 3", n)
	}
	return cfg, testkit.Documents(t, a.Client, nil)
}

func TestRepairMergesIndexDocuments(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
	readers := make([]string, 24)
	for n := range readers {
		readers[n] = fmt.Sprintf("r%02d", n)
	}
	a.FollowAll(readers, true)
	a.Post("p1", "author", stories.Day)
	a.OK(a.Instance().Deliveries.Post(t.Context(), "p1"))
	a.FollowAll(append(append([]string{}, readers[1:9]...), readers[10:22]...), false)
	if a.Repair("author"); a.IndexDocuments() != 12 {
		t.Errorf("Repair alone left %d index documents, want all 12", a.IndexDocuments())
	}
	mergeSoundly(a, 2)
	a.FollowAll([]string{"x1", "x2", "x3"}, true) // the user document names what is there
	a.WantSound()
}

// A merge that dies at any write has kept no post from anybody. Who unfollows then sees none
// any more, and the next merge ends it.
func TestNextMergeFinishesDeadMerge(t *testing.T) {
	t.Parallel()
	cfg, documents := halfEmpty(t)
	for name, between := range map[string]func(*testkit.App){
		"nothing happens": wantNothingMissed,
		"a follower leaves": func(a *testkit.App) {
			a.FollowAll([]string{"r6"}, false)
			wantNothingMissed(a)
		},
	} {
		testkit.Disturb(t, testkit.Disturbed[*testkit.App]{
			Name: name, Between: between, Writes: 12,
			Prepare: func(t *testing.T) *testkit.App { return testkit.CopyOf(t, cfg, documents) },
			Act: func(a *testkit.App, p testkit.Process) error {
				return left(a.Merge(nil, p.Interceptor))
			},
			Check: func(a *testkit.App) {
				if n := a.IndexDocuments(); n != 2 {
					a.T.Errorf("%d index documents, want 2", n)
				}
				a.WantSound()
			},
		})
	}
}

// While followers are in two index documents one of them unfollows, others follow, and the author posts.
func TestEventsWhileFollowersAreMoved(t *testing.T) {
	t.Parallel()
	cfg, documents := halfEmpty(t)
	a := testkit.CopyOf(t, cfg, documents)
	gate := unarmedGate(t, testkit.QueryOf("_relations")) // which holds no lock
	merged := make(chan error, 1)
	go func() {
		_, err := a.Merge(func(doing string, _ int64) { gate.Armed.Store(doing == "merge") }, gate.Interceptor())
		merged <- err
	}()
	gate.Await()
	if to := a.Data("users/r5/following/author")["movesTo"]; to != "00001" {
		t.Errorf("r5 moves to %v, want 00001", to)
	}
	wantNothingMissed(a)
	a.FollowAll([]string{"r6"}, false)
	a.FollowAll([]string{"x1", "x2", "x3"}, true)
	a.Post("p2", "author", stories.Day.Add(-time.Hour))
	a.OK(a.Instance().Deliveries.Post(t.Context(), "p2"))
	wantNothingMissed(a)
	gate.Open()
	a.OK(<-merged)
	a.WantSound()
	mergeSoundly(a, 3)
}

// wantKept checks that each follower is in an index document and in all its relations: whichever is synced next, they
// miss nothing.
func wantKept(a *testkit.App, followers ...string) {
	a.T.Helper()
	documents := a.Documents(a.Client.CollectionGroup("followers_index").Query, a.Client.Collection("_relations").Query)
	for _, f := range followers {
		kept := slices.ContainsFunc([]string{"00001", "00002", "00003"}, func(i string) bool {
			for _, path := range []string{"users/author/followers_index/" + i, "_relations/p0_" + i, "_relations/p1_" + i} {
				if held, _ := documents[path]["followers"].([]any); !slices.Contains(held, any(f)) {
					return false
				}
			}
			return true
		})
		if !kept {
			a.T.Errorf("%s is in no index document and its relations", f)
		}
	}
}

// While followers are in two index documents another repair leaves them the one that is about to be closed.
func TestRepairDuringMergeKeepsDocumentBeingClosed(t *testing.T) {
	t.Parallel()
	cfg, documents := halfEmpty(t)
	a := testkit.CopyOf(t, cfg, documents)
	gate := unarmedGate(t, testkit.QueryOf("_relations")) // which holds no lock
	var one sync.Mutex                                    // commits come several at once
	kept := func() {
		one.Lock()
		defer one.Unlock()
		wantKept(a, "r2", "r4", "r5", "r6")
	}
	look := wire.Interceptor{
		Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			err := invoke(ctx, method, req, reply, cc, opts...)
			if _, ok := req.(*pb.CommitRequest); ok {
				kept()
			}
			return err
		},
	}
	merged := make(chan error, 1)
	go func() {
		_, err := a.Merge(func(doing string, _ int64) { gate.Armed.Store(doing == "merge") }, gate.Interceptor(), look)
		merged <- err
	}()
	gate.Await()
	a.Repair("author")
	a.WantSound()
	gate.Open()
	a.OK(<-merged)
	a.WantSound()
	if n := a.IndexDocuments(); n != 3 {
		t.Errorf("%d index documents, want 3: the last holds followers again", n)
	}
	mergeSoundly(a, 2)
}

// The account of a follower who is about to be moved is being purged: they leave their index document instead.
func TestPurgedFollowerIsNotMoved(t *testing.T) {
	t.Parallel()
	cfg, documents := halfEmpty(t)
	a := testkit.CopyOf(t, cfg, documents)
	a.FollowAll([]string{"r6"}, false)
	held := testkit.NewGate(t, testkit.CommitOf("users/author/followers/r5"))
	purged := make(chan error, 1)
	go func() { purged <- a.Worker(0, held.Interceptor()).Purge(a, "r5") }()
	held.Await()
	death := faults.NewDeath(1)
	if _, err := a.Merge(nil, death.Interceptor()); !death.Died() {
		t.Fatalf("the merge wrote nothing: %v", err)
	}
	if left := a.Data("users/r5/following/author")["left"]; left == nil {
		t.Error("r5 has left no index document")
	}
	if in := a.Data("users/author/followers_index/00003")["followers"]; len(in.([]any)) > 0 {
		t.Errorf("%v are in the last index document", in)
	}
	held.Open()
	a.OK(<-purged)
	a.WantSound()
	mergeSoundly(a, 1)
}

// A follower joins the emptied document, which is then not closed.
func TestMergeKeepsDocumentThatGainsFollower(t *testing.T) {
	t.Parallel()
	cfg, documents := halfEmpty(t)
	a := testkit.CopyOf(t, cfg, documents)
	gate := testkit.NewGate(t, testkit.DeleteOf("users/author/followers_index/00003")) // a transaction that has read nothing
	merged := make(chan error, 1)
	go func() {
		_, err := a.Merge(nil, gate.Interceptor())
		merged <- err
	}()
	gate.Await()
	a.FollowAll([]string{"x"}, true)
	gate.Open()
	a.OK(<-merged)
	a.WantSound()
	mergeSoundly(a, 3)
}

// A merge closed an index document, and a follow opened it again. A pass of sync from before
// has the changes of the closed document.
func TestLateSyncAfterMergeReopenedDocument(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Capacity: 4})
	a.Post("p1", "author", stories.Day)
	a.FollowAll([]string{"a", "b", "c", "d"}, true)
	a.FollowAll([]string{"r1"}, true)
	a.FollowAll([]string{"r2"}, true)
	a.FollowAll([]string{"b", "c", "d"}, false)
	gate := testkit.NewGate(t, testkit.QueryOf("_relations"))
	synced := make(chan error, 1)
	go func() { synced <- a.Instance(gate.Interceptor()).Graph.Follow(t.Context(), "author", "r2") }() // its event comes again
	gate.Await()
	mergeSoundly(a, 1)
	a.FollowAll([]string{"e"}, true)
	a.FollowAll([]string{"r3"}, true)
	a.OlderThanAPace("_relations/p1_00002")
	gate.Open()
	a.OK(<-synced)
	a.WantSound()
}

// Some followers of a document above the capacity are moved. Meanwhile another follower of it unfollows, and that event updates its relations.
func TestMovedFollowerKeepsPostsDuringUnfollow(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Capacity: 4})
	a.Post("p1", "author", stories.Day)
	a.FollowAll([]string{"r1", "r2", "r3", "r4"}, true)
	a.Config.Capacity = 2
	gate := unarmedGate(t, testkit.QueryOf("posts")) // whose relations the next document gets
	repaired := make(chan error, 1)
	go func() {
		_, err := repair.New(a.Instance(gate.Interceptor())).Repair(t.Context(), "author", nil, func(doing string, _ int64) { gate.Armed.Store(doing == "repair") })
		repaired <- err
	}()
	gate.Await()
	index, err := a.Client.Doc("users/author/followers_index/00001").Get(t.Context())
	a.OK(err)
	a.FollowAll([]string{index.Data()["followers"].([]any)[0].(string)}, false)
	wantNothingMissed(a)
	gate.Open()
	a.OK(<-repaired)
	a.WantSound()
}

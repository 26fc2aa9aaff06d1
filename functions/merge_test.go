package functions_test

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
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// merge repairs and merges, in a process of its own.
func (a *app) merge(progress func(string, int64), interceptors ...wire.Interceptor) (repair.Repaired, error) {
	return repair.New(a.Instance(interceptors...)).RepairAndMerge(a.T.Context(), "author", nil, progress)
}

// mergeSoundly merges what nothing is in the way of, and leaves so many index documents.
func (a *app) mergeSoundly(documents int) {
	a.T.Helper()
	repaired, err := a.merge(nil)
	a.ok(err)
	if repaired.After.Violations > 0 {
		a.T.Errorf("after the merge: %v", repaired.Left)
	}
	if n := a.indexDocuments(); n != documents {
		a.T.Errorf("%d index documents, want %d", n, documents)
	}
	a.wantSound()
}

// halfEmpty are the documents of an author with two posts, and of two followers in each
// index document some have left: r2 is in the first, r4 in the second, r5 and r6 in the third, which is current.
func halfEmpty(t *testing.T) (config.Functions, map[string]map[string]any) {
	cfg := config.Functions{Capacity: 2}
	a := openApp(t, cfg)
	for n := range 2 {
		p := fmt.Sprint("p", n)
		a.Post(p, "author", day.Add(time.Duration(n)*time.Hour))
		a.ok(a.Instance().Deliveries.Post(t.Context(), p))
	}
	for _, pair := range [][]string{{"r1", "r2"}, {"r3", "r4"}, {"r5", "r6"}} {
		a.followAll(pair, true)
	}
	a.followAll([]string{"r1", "r3"}, false)
	if n := a.indexDocuments(); n != 3 {
		t.Fatalf("%d index documents, want 3", n)
	}
	return cfg, testkit.Documents(t, a.Client, nil)
}

func TestRepairMergesIndexDocuments(t *testing.T) {
	t.Parallel()
	a := openApp(t, config.Functions{Capacity: 2})
	readers := make([]string, 24)
	for n := range readers {
		readers[n] = fmt.Sprintf("r%02d", n)
	}
	a.followAll(readers, true)
	a.Post("p1", "author", day)
	a.ok(a.Instance().Deliveries.Post(t.Context(), "p1"))
	a.followAll(append(append([]string{}, readers[1:9]...), readers[10:22]...), false)
	if a.repair("author"); a.indexDocuments() != 12 {
		t.Errorf("Repair alone left %d index documents, want all 12", a.indexDocuments())
	}
	a.mergeSoundly(2)
	a.followAll([]string{"x1", "x2", "x3"}, true) // the user document names what is there
	a.wantSound()
}

// A merge that dies at any write has kept no post from anybody. Who unfollows then sees none
// any more, and the next merge ends it.
func TestAMergeThatDiesIsEndedByTheNext(t *testing.T) {
	t.Parallel()
	cfg, documents := halfEmpty(t)
	points := 0
	for at := 1; ; at += testkit.Stride(t) {
		a := copyOf(t, cfg, documents)
		death := faults.NewDeath(at)
		_, err := a.merge(nil, death.Interceptor())
		if !death.Died() {
			a.ok(err)
			break
		}
		points++
		a.wantNothingMissed()
		if at%2 == 0 {
			a.followAll([]string{"r6"}, false)
			a.wantNothingMissed()
		}
		a.mergeSoundly(2)
		if t.Failed() {
			t.Fatalf("killed at write %d", at)
		}
	}
	t.Logf("killed at %d writes", points)
	if points*testkit.Stride(t) < 12 {
		t.Errorf("killed at %d writes alone", points)
	}
}

// While followers are in two index documents one of them unfollows, others follow, and the author posts.
func TestEventsWhileFollowersAreMoved(t *testing.T) {
	t.Parallel()
	cfg, documents := halfEmpty(t)
	a := copyOf(t, cfg, documents)
	gate := unarmedGate(t, queryOf("_relations")) // which holds no lock
	merged := make(chan error, 1)
	go func() {
		_, err := a.merge(func(doing string, _ int64) { gate.armed.Store(doing == "merge") }, gate.interceptor())
		merged <- err
	}()
	gate.await()
	if to := a.Data("users/r5/following/author")["movesTo"]; to != "00001" {
		t.Errorf("r5 moves to %v, want 00001", to)
	}
	a.wantNothingMissed()
	a.followAll([]string{"r6"}, false)
	a.followAll([]string{"x1", "x2", "x3"}, true)
	a.Post("p2", "author", day.Add(-time.Hour))
	a.ok(a.Instance().Deliveries.Post(t.Context(), "p2"))
	a.wantNothingMissed()
	gate.open()
	a.ok(<-merged)
	a.wantSound()
	a.mergeSoundly(3)
}

// wantKept checks that each follower is in an index document and in all its relations: whichever is synced next, they
// miss nothing.
func (a *app) wantKept(followers ...string) {
	a.T.Helper()
	documents := a.documents(a.Client.CollectionGroup("followers_index").Query, a.Client.Collection("_relations").Query)
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
func TestAMergeBesideAnotherRepair(t *testing.T) {
	t.Parallel()
	cfg, documents := halfEmpty(t)
	a := copyOf(t, cfg, documents)
	gate := unarmedGate(t, queryOf("_relations")) // which holds no lock
	var one sync.Mutex                            // commits come several at once
	kept := func() {
		one.Lock()
		defer one.Unlock()
		a.wantKept("r2", "r4", "r5", "r6")
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
		_, err := a.merge(func(doing string, _ int64) { gate.armed.Store(doing == "merge") }, gate.interceptor(), look)
		merged <- err
	}()
	gate.await()
	a.repair("author")
	a.wantSound()
	gate.open()
	a.ok(<-merged)
	a.wantSound()
	if n := a.indexDocuments(); n != 3 {
		t.Errorf("%d index documents, want 3: the last holds followers again", n)
	}
	a.mergeSoundly(2)
}

// The account of a follower who is about to be moved is being purged: they leave their index document instead.
func TestWhoIsPurgedIsNotMoved(t *testing.T) {
	t.Parallel()
	cfg, documents := halfEmpty(t)
	a := copyOf(t, cfg, documents)
	a.followAll([]string{"r6"}, false)
	held := newGate(t, commitOf("users/author/followers/r5"))
	purged := make(chan error, 1)
	go func() { purged <- a.worker(0, held.interceptor()).purge(a, "r5") }()
	held.await()
	death := faults.NewDeath(1)
	if _, err := a.merge(nil, death.Interceptor()); !death.Died() {
		t.Fatalf("the merge wrote nothing: %v", err)
	}
	if left := a.Data("users/r5/following/author")["left"]; left == nil {
		t.Error("r5 has left no index document")
	}
	if in := a.Data("users/author/followers_index/00003")["followers"]; len(in.([]any)) > 0 {
		t.Errorf("%v are in the last index document", in)
	}
	held.open()
	a.ok(<-purged)
	a.wantSound()
	a.mergeSoundly(1)
}

// Who joins the document that has been emptied keeps it from being closed.
func TestAMergeLeavesADocumentThatSomebodyJoins(t *testing.T) {
	t.Parallel()
	cfg, documents := halfEmpty(t)
	a := copyOf(t, cfg, documents)
	gate := newGate(t, deleteOf("users/author/followers_index/00003")) // a transaction that has read nothing
	merged := make(chan error, 1)
	go func() {
		_, err := a.merge(nil, gate.interceptor())
		merged <- err
	}()
	gate.await()
	a.followAll([]string{"x"}, true)
	gate.open()
	a.ok(<-merged)
	a.wantSound()
	a.mergeSoundly(3)
}

// A pass of sync that was overtaken by a merge, and by a follow that opened the
// document again, knows changes of another document.
func TestALateSyncOfADocumentThatWasClosed(t *testing.T) {
	t.Parallel()
	a := openApp(t, config.Functions{Capacity: 4})
	a.Post("p1", "author", day)
	a.followAll([]string{"a", "b", "c", "d"}, true)
	a.followAll([]string{"r1"}, true)
	a.followAll([]string{"r2"}, true)
	a.followAll([]string{"b", "c", "d"}, false)
	gate := newGate(t, queryOf("_relations"))
	synced := make(chan error, 1)
	go func() { synced <- a.Instance(gate.interceptor()).Graph.Follow(t.Context(), "author", "r2") }() // its event comes again
	gate.await()
	a.mergeSoundly(1)
	a.followAll([]string{"e"}, true)
	a.followAll([]string{"r3"}, true)
	a.olderThanAPace("_relations/p1_00002")
	gate.open()
	a.ok(<-synced)
	a.wantSound()
}

// Of a document above the capacity some are moved, while another of it unfollows, whose event brings its relations up to date.
func TestWhoIsMovedMissesNothingThoughAnotherUnfollows(t *testing.T) {
	t.Parallel()
	a := openApp(t, config.Functions{Capacity: 4})
	a.Post("p1", "author", day)
	a.followAll([]string{"r1", "r2", "r3", "r4"}, true)
	a.Config.Capacity = 2
	gate := unarmedGate(t, queryOf("posts")) // whose relations the next document gets
	repaired := make(chan error, 1)
	go func() {
		_, err := repair.New(a.Instance(gate.interceptor())).Repair(t.Context(), "author", nil, func(doing string, _ int64) { gate.armed.Store(doing == "repair") })
		repaired <- err
	}()
	gate.await()
	index, err := a.Client.Doc("users/author/followers_index/00001").Get(t.Context())
	a.ok(err)
	a.followAll([]string{index.Data()["followers"].([]any)[0].(string)}, false)
	a.wantNothingMissed()
	gate.open()
	a.ok(<-repaired)
	a.wantSound()
}

package functions_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/internal/runtime/config"
)

// afterList matches the first transaction that begins after a list of a collection.
func afterList(collection string) func(any) bool {
	var listed atomic.Bool
	list := listOf(collection)
	return func(req any) bool {
		if list(req) {
			listed.Store(true)
		}
		_, begins := req.(*pb.BeginTransactionRequest)
		return begins && listed.Load()
	}
}

// The handler of a post has listed the index documents of an account that has just
// been deleted, and would name them in its user document when all of it has gone.
func TestAHandlerThatHangsForAWholePurgeNamesNothing(t *testing.T) {
	t.Parallel()
	a := adas(t, config.Functions{})
	a.DeleteAccount("ada")
	held := newGate(t, afterList("followers_index"))
	event := make(chan error, 1)
	go func() { event <- a.Instance(held.interceptor()).Deliveries.Post(t.Context(), "p0") }()
	held.await()
	if err := a.worker(0).purge(a, "ada"); err != nil {
		t.Fatal(err)
	}
	held.open()
	if err := <-event; err != nil {
		t.Fatal(err)
	}
	a.WantGone("ada")
	a.WantVerified()
}

// Who joins an account that is back waits for the end of its purge; who leaves it,
// in the same batch, does not.
func TestWhoWaitsForAPurgeHoldsUpNobody(t *testing.T) {
	t.Parallel()
	a := adas(t, config.Functions{})
	purging, purged := a.purgeHeld(commitOf("users/star/followers/ada"))
	a.Profile("ada", map[string]any{"displayName": "Ada II"})
	a.Follow("new", "ada")
	a.Unfollow("fan1", "ada")

	for wait := 10 * time.Millisecond; !a.inOneBatch(wait); wait *= 2 {
		if wait > time.Minute {
			t.Fatal("no batch had both")
		}
	}
	purging.open()
	if err := <-purged; err != nil {
		t.Fatal(err)
	}
	a.events(a.Instance(), [2]string{"ada", "new"})
	if !a.Follows("new", "ada") || a.Follows("fan1", "ada") {
		t.Error("new has to follow, and fan1 not")
	}
	a.WantVerified()
}

// inOneBatch handles the events of who joins ada, while her purge is under way, and
// of who leaves her. It reports whether one batch had both: they wait behind the event
// of another follower, which is held until they have had some time to.
func (a *app) inOneBatch(wait time.Duration) bool {
	a.T.Helper()
	var shared atomic.Bool
	held := newGate(a.T, func(req any) bool {
		shared.CompareAndSwap(false, readOf("users/ada/followers/new")(req) && readOf("users/ada/followers/fan1")(req))
		return readOf("users/ada/followers/fan0")(req)
	})
	x := a.Instance(held.interceptor())
	event := func(follower string) chan error {
		done := make(chan error, 1)
		go func() { done <- x.Graph.Follow(a.T.Context(), "ada", follower) }()
		return done
	}
	stays := event("fan0")
	held.await()
	joins, leaves := event("new"), event("fan1")
	time.AfterFunc(wait, held.open)
	if err := <-joins; err == nil || !strings.Contains(err.Error(), "created again during its purge") {
		a.T.Errorf("who joins: %v, want that the account is back", err)
	}
	a.Must(nil, errors.Join(<-leaves, <-stays))
	return shared.Load()
}

// A purge ends in the middle of the graph. The account comes back and is deleted
// again, which enqueues the purge anew, and is back before its first page: what
// the purge before has left is no life of the account's.
func TestAPurgeThatIsEnqueuedAnewKeepsItsReceipt(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]firestore.Update{
		"canceled": {Path: "state", Value: "canceled"},
		"failed":   {Path: "state", Value: "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := adas(t, config.Functions{})
			held, purged := a.purgeHeld(commitOf("users/ada/followers_index/"))
			ref := a.Client.Doc("_functions/" + a.PurgeJob().ID)
			a.Must(ref.Update(t.Context(), []firestore.Update{end, {Path: "leaseUntil", Value: firestore.Delete}}))
			held.open()
			t.Log("the purge that was held ends with", <-purged)
			x := a.Instance()
			if err := x.Accounts.Purge(t.Context(), "ada", "2", ""); err != nil { // its event comes again: it is not back yet
				t.Fatal(err)
			}
			a.Profile("ada", map[string]any{"displayName": "Ada II"})
			a.Follow("new", "ada")
			if err := a.worker(0).finish(a); err != nil {
				t.Fatal(err)
			}
			a.events(x, [2]string{"ada", "new"})
			for _, fan := range []string{"fan0", "fan1"} {
				if a.Follows(fan, "ada") || len(a.Feed(fan)) > 0 {
					t.Errorf("%s follows: %t, sees %q", fan, a.Follows(fan, "ada"), a.Feed(fan))
				}
			}
			if !a.Follows("new", "ada") {
				t.Error("new does not follow")
			}
			a.WantVerified()
		})
	}
}

// An instance that writes one relation at a time ends a purge too: ending a follow
// writes relations, and must not wait for the slot that it has itself.
func TestAPurgeDoesNotWaitForItself(t *testing.T) {
	t.Parallel()
	a := adas(t, config.Functions{Parallel: 1})
	a.DeleteAccount("ada")
	if err := a.worker(0).purge(a, "ada"); err != nil {
		t.Fatal(err)
	}
	a.WantGone("ada")
	a.WantVerified()
}

//go:build long

package accounts_test

import (
	"sync/atomic"
	"testing"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
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

// The handler of a post lists the index documents of an account before its purge, and
// continues after it. It does not write their names to the user document.
func TestPostHandlerOutlastingPurgeNamesNoIndexDocument(t *testing.T) {
	t.Parallel()
	a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
	a.DeleteAccount("ada")
	held := testkit.NewGate(t, afterList("followers_index"))
	event := make(chan error, 1)
	go func() { event <- a.Instance(held.Interceptor()).Deliveries.Post(t.Context(), "p0") }()
	held.Await()
	a.OK(a.Worker(0).Purge(a, "ada"))
	held.Open()
	a.OK(<-event)
	a.WantGone("ada")
	a.WantVerified()
}

// A purge ends in the middle of the graph, and is enqueued again. Its receipt includes the counts of the
// first run.
func TestReenqueuedPurgeKeepsItsReceipt(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]firestore.Update{
		"canceled": {Path: "state", Value: "canceled"},
		"failed":   {Path: "state", Value: "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
			held, purged := purgeHeld(a, testkit.CommitOf("users/ada/followers_index/"))
			receipt := a.PurgeJob().Counts
			ref := a.Client.Doc("_functions/" + a.PurgeJob().ID)
			a.Must(ref.Update(t.Context(), []firestore.Update{end, {Path: "leaseUntil", Value: firestore.Delete}}))
			held.Open()
			t.Log("the purge that was held ends with", <-purged)
			w := a.Worker(0)
			a.OK(w.Index.Accounts.Purge(t.Context(), "ada", "2", ""))
			a.OK(w.Finish(a))
			if diff := cmp.Diff(receipt, a.PurgeJob().Counts); diff != "" || receipt["followers"] != 2 {
				t.Errorf("the receipt (-want +got):\n%s", diff)
			}
			a.WantGone("ada")
			a.WantVerified()
		})
	}
}

// An instance that writes one relation at a time ends a purge too: ending a follow
// writes relations, and must not wait for the slot that it has itself.
func TestPurgeWithOneWriterDoesNotDeadlock(t *testing.T) {
	t.Parallel()
	a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true, Parallel: 1})
	a.DeleteAccount("ada")
	a.OK(a.Worker(0).Purge(a, "ada"))
	a.WantGone("ada")
	a.WantVerified()
}

//go:build long

package accounts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/accounts"
	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// Each read of a purge fails in turn: also the counts before it and the search for traces after it.
func TestPurgeReturnsReadErrors(t *testing.T) {
	t.Parallel()
	a := mentioned(t, schema.Config{NoOwnPosts: true, RefFields: []string{"name=refNames"}, TombstoneKey: "a-key-of-tombstones"})
	a.Follow("f1", "ada")
	a.Follow("ada", "star")
	a.Block("ada", "f3")
	a.Settle()
	a.Silence()
	a.DeleteAccount("ada")
	counted := func(p testkit.Process) error {
		x := a.Instance(p.Interceptor).Accounts
		if _, _, err := x.Account(t.Context(), "ada"); err != nil {
			return err
		}
		return x.Traces(t.Context(), "ada", func(accounts.Trace) {}, func(int64) {})
	}
	testkit.FailReads(t, counted)
	testkit.FailReads(t, func(p testkit.Process) error {
		return a.Worker(p.Ahead, p.Interceptor).Index.Accounts.Purge(t.Context(), "ada", "1", "")
	})
	testkit.FailReads(t, func(p testkit.Process) error { return a.Worker(p.Ahead, p.Interceptor).Ends(a) })
	want := map[string]int64{
		"followers": 1, "following": 1, "indexDocuments": 1, "relations": 2, "requests": 1, "requested": 1, "timeline": 0, "timelines": 0, "delivered": 0, "settings": 0, "hidden": 0, "rates": 0, "comments": 0,
		"posts": 1, "mentions": 2, "groups": 1, "blocked": 1, "likes": 0, "notifications": 0,
	}
	if diff := cmp.Diff(want, a.PurgeJob().Counts); diff != "" {
		t.Errorf("the receipt (-want +got):\n%s", diff)
	}
	for _, post := range []string{"adas", "bobs", "ref"} { // no event came
		a.OK(a.Instance().Deliveries.Post(t.Context(), post))
	}
	wantForgotten(a)
	a.WantVerified()
}

// A server has created the account when the reads fail.
func TestPurgeOfReturnedAccountReturnsReadErrors(t *testing.T) {
	t.Parallel()
	a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
	a.DeleteAccount("ada")
	w := a.Worker(0)
	a.OK(w.Index.Accounts.Purge(t.Context(), "ada", "1", ""))
	const indexDocuments = 4 // the phase that removes them
	for w.Step(a, a.PurgeJob().ID).Phase < indexDocuments {
	}
	a.Profile("ada", map[string]any{"displayName": "Ada II"})
	testkit.FailReads(t, func(p testkit.Process) error { return a.Worker(p.Ahead, p.Interceptor).Ends(a) })
	if state, n := a.PurgeJob().State, a.Count("users/ada/followers_index"); state != chunker.Failed || n != 2 {
		t.Errorf("the job is %s, with %d index documents, want it to have failed, and 2", state, n)
	}
	testkit.FailReads(t, func(p testkit.Process) error {
		_, err := a.Worker(p.Ahead, p.Interceptor).Index.Accounts.Unmark(t.Context(), "ada")
		return err
	})
	wantMarked(a, false)
}

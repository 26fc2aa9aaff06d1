//go:build long

package accounts_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/accounts"
	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// A purge is killed at each of its writes, or cannot read something, and another process resumes it: nothing is left, and
// the receipt is the same. No event helps, but those of what the purge has deleted come at the end.
func TestDisturbedPurgeIsResumed(t *testing.T) {
	t.Parallel()
	named := schema.Config{NoOwnPosts: true, Chunk: 1, RefFields: []string{"name=refNames"}, TombstoneKey: "a-key-of-tombstones"}
	before := mentioned(t, named)
	before.Block("ada", "f3")
	before.Settle()
	naming, counted := testkit.Documents(t, before.Client, nil), talliedAda(t)
	delete(naming, "users/ada")
	gone := testkit.CopyOf(t, tallied(), counted)
	gone.OK(gone.Worker(0).Purge(gone, "ada"))
	purged := testkit.Documents(t, gone.Client, nil)
	for _, killed := range []testkit.Disturbed[*testkit.App]{{
		Name: "whom others name", First: 32, // a request to ada; the writes before are the same below
		Prepare: func(t *testing.T) *testkit.App { return testkit.CopyOf(t, named, naming) },
		Check: func(a *testkit.App) {
			receipt := map[string]int64{
				"followers": 0, "following": 0, "indexDocuments": 0, "relations": 2, "requests": 1, "requested": 1, "timeline": 0, "timelines": 0, "delivered": 0, "settings": 0, "hidden": 0, "rates": 0, "comments": 0,
				"posts": 1, "mentions": 2, "groups": 1, "blocked": 1, "likes": 0, "notifications": 0,
			}
			if diff := cmp.Diff(receipt, a.PurgeJob().Counts); diff != "" {
				a.T.Errorf("the receipt (-want +got):\n%s", diff)
			}
			for _, post := range []string{"adas", "bobs", "ref"} { // no event came
				a.OK(a.Instance().Deliveries.Post(a.T.Context(), post))
			}
			wantForgotten(a)
			a.WantVerified()
		},
	}, {
		Name: "with numbers", Check: wantTallied,
		Prepare: func(t *testing.T) *testkit.App { return testkit.CopyOf(t, tallied(), counted) },
	}} {
		unread := killed
		killed.Writes = 30
		killed.Act = func(a *testkit.App, p testkit.Process) error { return a.Worker(p.Ahead, p.Interceptor).Purge(a, "ada") }
		unread.Name, unread.Reads, unread.Long = killed.Name+", unread", 30, true
		unread.Act = func(a *testkit.App, p testkit.Process) error {
			w := a.Worker(p.Ahead, p.Interceptor)
			return errors.Join(w.Index.Accounts.Purge(a.T.Context(), "ada", "1", ""), w.Ends(a))
		}
		testkit.Disturb(t, killed, unread)
	}
	testkit.Disturb(t, testkit.Disturbed[*testkit.App]{
		Name: "the events of what it has deleted", Writes: 1, Reads: 10, Long: true, Check: wantTallied,
		Prepare: func(t *testing.T) *testkit.App { return testkit.CopyOf(t, tallied(), purged) },
		Act:     func(a *testkit.App, p testkit.Process) error { return events(a.T.Context(), a.Instance(p.Interceptor)) },
	})
}

// The counts before a purge, and the search for traces after it, report each failed read.
func TestTracesReturnReadErrors(t *testing.T) {
	t.Parallel()
	a := mentioned(t, schema.Config{NoOwnPosts: true})
	testkit.Disturb(t, testkit.Disturbed[*testkit.App]{
		Name: "counts and traces", Reads: 3,
		Prepare: func(*testing.T) *testkit.App { return a },
		Act: func(a *testkit.App, p testkit.Process) error {
			x := a.Instance(p.Interceptor).Accounts
			_, _, err := x.Account(a.T.Context(), "ada")
			return errors.Join(err, x.Traces(a.T.Context(), "ada", func(accounts.Trace) {}, nil))
		},
	})
}

// A server has created the account when the purge is disturbed.
func TestDisturbedPurgeOfReturnedAccountStops(t *testing.T) {
	t.Parallel()
	testkit.Disturb(t, testkit.Disturbed[*testkit.App]{
		Name: "its last steps", Writes: 1, Reads: 3,
		Prepare: func(t *testing.T) *testkit.App {
			a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
			a.DeleteAccount("ada")
			w := a.Worker(0)
			a.OK(w.Index.Accounts.Purge(t.Context(), "ada", "1", ""))
			const indexDocuments = 4 // the phase that removes them
			for w.Step(a, a.PurgeJob().ID).Phase < indexDocuments {
			}
			a.Profile("ada", map[string]any{"displayName": "Ada II"})
			return a
		},
		Act: func(a *testkit.App, p testkit.Process) error {
			w := a.Worker(p.Ahead, p.Interceptor)
			if err := w.Ends(a); err != nil {
				return err
			}
			_, err := w.Index.Accounts.Unmark(a.T.Context(), "ada")
			return err
		},
		Check: func(a *testkit.App) {
			if state, n := a.PurgeJob().State, a.Count("users/ada/followers_index"); state != chunker.Failed || n != 2 {
				a.T.Errorf("the job is %s, with %d index documents, want it to have failed, and 2", state, n)
			}
			wantMarked(a, false)
		},
	})
}

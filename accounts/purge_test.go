package accounts_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A purge costs a read, a write or a delete for each document that goes, and
// what the follows of others cost.
func TestCostOfAPurge(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	const fans = 300
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	for n := range fans {
		a.Follow(fmt.Sprintf("fan%03d", n), "ada")
	}
	a.Settle()
	used := a.Used(func() { a.DeleteAccount("ada") })
	const job = 1 + 6 + 3 // enqueued, three hops, the tombstone, the mark and its end
	if used.Writes > job || used.Deletes > 2*fans+2 {
		t.Errorf("the purge of an account with %d followers cost %v, want at most %d writes and %d deletes", fans, used, job, 2*fans+2)
	}
	// Each of the deletes of follower documents has an event, which reads four
	// documents to find nothing to do (shared by those that come together).
	if used.Reads > 4*fans+60 {
		t.Errorf("the purge cost %v, want at most %d reads", used, 4*fans+60)
	}
	t.Logf("%v", used)
	a.WantGone("ada")
}

// The handler of a follow had read the index document before the purge removed
// it, and leaves the rest to a job only now; so does one of a profile.
func TestJobEnqueuedAfterPurgeLeavesNoTrace(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, AuthorFields: []string{"displayName=authorName"}})
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Follow("bob", "ada")
	a.Settle()
	a.DeleteAccount("ada")
	a.Settle()
	late := chunker.New(a.Client, chunker.Options{})
	for _, s := range []chunker.Spec{
		{ID: "index:ada:00001", Kind: "relations.index", Args: map[string]string{"author": "ada", "index": "00001"}},
		{ID: "profile:ada", Kind: "relations.profile", Args: map[string]string{"author": "ada"}, Collection: "posts", Field: "userId", Value: "ada"},
	} {
		a.OK(late.Enqueue(t.Context(), s))
	}
	a.Settle()
	a.WantGone("ada")
}

// The event of a deletion arrives after the account was created again.
func TestPurgeEventSkipsRecreatedAccount(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Follow("bob", "ada")
	a.Settle()
	a.OK(a.Instance().Accounts.Purge(t.Context(), "ada", "1", ""))
	a.Settle()
	if got := a.Count("_functions"); got != 0 {
		t.Errorf("%d jobs, want none", got)
	}
	a.WantVerified()
	if got := a.Count("users/ada/followers"); got != 1 {
		t.Errorf("%d followers, want 1", got)
	}
}

// The deletion of an account with a large profile is never heard of. What the
// command "purge" does removes it.
func TestAccountDeletionEventLost(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Follow("bob", "ada")
	a.Follow("ada", "star")
	a.Post("p", "ada", stories.Day)
	a.Settle()
	a.Profile("ada", map[string]any{"bio": strings.Repeat("x", 600_000)})
	a.DeleteAccount("ada")
	a.Settle()
	if jobs, lost := a.Count("_functions"), a.Stats().TooLarge; jobs != 0 || lost == 0 {
		t.Errorf("%d jobs, want none; %d events were lost, want that of the deletion", jobs, lost)
	}
	a.WantFeed("bob", "p")
	if counts, profile, err := a.Instance().Accounts.Account(t.Context(), "ada"); err != nil || profile || counts["followers"] != 1 {
		t.Errorf("the command counts %v, profile: %t, %v", counts, profile, err)
	}
	a.OK(a.Instance().Accounts.Purge(t.Context(), "ada", "by hand", ""))
	a.Settle()
	a.WantGone("ada")
	a.WantVerified()
}

//go:build long

package accounts_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A purge is killed at each of its writes in turn and resumed by
// another process: nothing is left, and the receipt is the same. No event helps.
func TestPurgeKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	cfg := schema.Config{NoOwnPosts: true, Capacity: 1, Chunk: 1}
	a := testkit.NewApp(t, cfg)
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Follow("ada", "star")
	for n := range 2 {
		a.Follow(fmt.Sprintf("fan%d", n), "ada")
		a.Post(fmt.Sprintf("p%d", n), "ada", stories.Day)
	}
	a.Settle()
	documents := testkit.Documents(t, a.Client, nil)
	delete(documents, "users/ada")

	const least = 30 // writes
	testkit.KillEach(t, 1, least, func(t *testing.T, death *faults.Death) {
		a := testkit.CopyOf(t, cfg, documents)
		_ = a.Worker(0, death.Interceptor()).Purge(a, "ada")
		if !death.Died() {
			return
		}
		if err := a.Worker(2*time.Minute).Purge(a, "ada"); err != nil {
			t.Fatal("resumed: ", err)
		}
		want := map[string]int64{"followers": 2, "following": 1, "indexDocuments": 2, "relations": 4, "posts": 2, "requests": 0, "requested": 0, "timeline": 0, "timelines": 0, "delivered": 0, "settings": 0, "hidden": 0, "rates": 0, "comments": 0, "mentions": 0, "groups": 0, "blocked": 0, "likes": 0, "notifications": 0}
		if diff := cmp.Diff(want, a.PurgeJob().Counts); diff != "" {
			t.Errorf("the receipt (-want +got):\n%s", diff)
		}
		a.WantGone("ada")
		a.WantVerified()
	})
}

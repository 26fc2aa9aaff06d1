package stories

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// crowd makes ada, who follows 5 authors and has 7 followers and 4 posts. The others also follow each
// other.
func (a *App) crowd() {
	a.T.Helper()
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	for n := range 7 {
		f := fmt.Sprintf("fan%d", n)
		a.Profile(f, map[string]any{"displayName": f})
		a.Follow(f, "ada")
		a.Follow(f, "bob")
	}
	for n := range 5 {
		author := fmt.Sprintf("star%d", n)
		a.Post("of-"+author, author, Day)
		a.Follow("ada", author)
		a.Follow("fan0", author)
	}
	for n := range 4 {
		a.Post(fmt.Sprintf("ada%d", n), "ada", Day.Add(time.Duration(n)*time.Hour))
	}
	a.Settle()
	for _, f := range []string{"fan6", "troll", "other"} {
		a.Block("ada", f)
	}
	a.Unfollow("ada", "star4") // an ended follow must leave no trace either
	a.Settle()
}

func purge(t *testing.T, m Machine) {
	for name, cfg := range map[string]schema.Config{
		"at once":         {NoOwnPosts: true, Capacity: 3},
		"in steps":        {NoOwnPosts: true, Capacity: 3, InlineLimit: 2, Chunk: 2, Step: aPage},
		"twice":           {NoOwnPosts: true, Capacity: 3},
		"posts are kept":  {NoOwnPosts: true, Capacity: 3, KeepPosts: true},
		"in one document": {NoOwnPosts: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := New(t, m, cfg)
			a.crowd()
			a.DeleteAccount("ada")
			a.Settle()
			job := a.PurgeJob()
			want := map[string]int64{"followers": 6, "following": 4, "indexDocuments": 3, "relations": 12, "posts": 4, "requests": 0, "requested": 0, "timeline": 0, "timelines": 0, "settings": 0, "hidden": 0, "rates": 0, "comments": 0, "delivered": 0, "mentions": 0, "groups": 0, "blocked": 3, "likes": 0, "notifications": 0}
			left := []string{}
			if cfg.Capacity == 0 {
				want["indexDocuments"], want["relations"] = 1, 4
			}
			if cfg.KeepPosts {
				want["posts"] = 0
				for n := range 4 {
					left = append(left, fmt.Sprintf("posts/ada%d: userId", n))
				}
			}
			if diff := cmp.Diff(want, job.Counts); diff != "" || job.State != chunker.Done || job.Args != nil {
				t.Errorf("the receipt of job %s, %v (-want +got):\n%s", job.State, job.Args, diff)
			}
			if diff := cmp.Diff(left, slices.Sorted(slices.Values(a.Traces("ada")))); diff != "" && len(left)+len(a.Traces("ada")) > 0 {
				t.Errorf("traces (-want +got):\n%s", diff)
			}
			a.WantVerified()
			a.WantFeed("fan0", "of-star4", "of-star3", "of-star2", "of-star1", "of-star0")
			a.WantFeed("ada")
		})
	}
}

// A follow by the account, or of the account, whose event comes after the purge, is removed.
func aFollowThatComesAfterThePurgeIsRemoved(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 2})
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Profile("bob", map[string]any{"displayName": "Bob"})
	a.Follow("ada", "bob")
	a.Follow("bob", "ada")
	a.Post("p1", "bob", Day)
	a.Settle()
	a.DeleteAccount("ada")
	a.Settle()
	a.WantGone("ada")
	a.Follow("ada", "bob") // written late, by a client that was offline
	a.Follow("bob", "ada")
	a.Follow("eve", "ada")
	a.Follow("eve", "bob")
	a.Settle()
	a.WantGone("ada")
	a.WantVerified()
	a.WantFeed("eve", "p1")

	// The account is made again with the same id, and can follow.
	a.Profile("ada", map[string]any{"displayName": "Ada II"})
	a.Follow("ada", "bob")
	a.Follow("bob", "ada")
	a.Settle()
	a.WantVerified()
	a.WantFeed("ada", "p1")
	if got := a.Count("users/ada/followers_index"); got != 1 {
		t.Errorf("%d index documents of the new account, want 1", got)
	}
}

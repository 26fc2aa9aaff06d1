//go:build long

package followers_test

import (
	"testing"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// fan0 has unfollowed ada, whose account is deleted before that event comes: the purge has no follower document
// to find, and the edge stays. The account is made anew.
func formerLife(t *testing.T) *testkit.App {
	t.Helper()
	a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
	a.Unfollow("fan0", "ada")
	a.DeleteAccount("ada")
	a.OK(a.Worker(0).Purge(a, "ada"))
	if place := a.Data("users/fan0/following/ada")["indexId"]; place == nil { // it stays, or this shows nothing
		t.Fatal("the edge names no index document")
	}
	a.Profile("ada", map[string]any{"displayName": "Ada II"})
	return a
}

// An edge of the account's former life does not say where its follower is now.
func TestEdgeOfFormerAccountIsNoPlace(t *testing.T) {
	t.Parallel()
	event := func(a *testkit.App, follower string) { a.FollowEvents(a.Instance(), [2]string{"ada", follower}) }
	others := func(a *testkit.App, follower string) { // the index document is there again
		a.Follow(follower, "ada")
		event(a, follower)
	}
	for name, c := range map[string]struct {
		do      func(*testkit.App)
		follows bool
	}{
		"follows again": {func(a *testkit.App) {
			a.Follow("fan0", "ada")
			event(a, "fan0")
		}, true},
		"follows again, after another": {func(a *testkit.App) {
			others(a, "new")
			a.Follow("fan0", "ada")
			event(a, "fan0")
			event(a, "fan0") // it comes twice
		}, true},
		"is imported": {func(a *testkit.App) {
			follows := []load.Follows{{Author: "ada", Followers: []string{"fan0"}}}
			if err := load.New(a.Instance()).Adopt(a.T.Context(), follows, load.Options{Since: stories.Day}); err != nil {
				a.T.Fatal(err)
			}
			event(a, "fan0")
		}, true},
		"is imported, after another": {func(a *testkit.App) {
			others(a, "new")
			follows := []load.Follows{{Author: "ada", Followers: []string{"fan0"}}}
			if err := load.New(a.Instance()).Adopt(a.T.Context(), follows, load.Options{Since: stories.Day}); err != nil {
				a.T.Fatal(err)
			}
		}, true},
		"has left": {func(a *testkit.App) { event(a, "fan0") }, false},
		"has left, after another came": {func(a *testkit.App) {
			others(a, "new")
			event(a, "fan0")
			event(a, "fan0")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := formerLife(t)
			c.do(a)
			if got := a.Follows("fan0", "ada"); got != c.follows {
				t.Errorf("fan0 follows: %t", got)
			}
			a.WantVerified()
		})
	}
}

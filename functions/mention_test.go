package functions_test

import (
	"testing"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// What it costs to name a stranger in a post: docs/cost.md has these numbers. Numbers and notifications are on.
// Without notifications, it costs 11 reads and a write less.
func TestCostOfAMention(t *testing.T) {
	t.Parallel()
	for feed, want := range map[string][2]int64{"relations": {14, 2}, "items": {16, 2}, "buckets": {18, 2}, "days": {17, 2}} {
		t.Run(feed, func(t *testing.T) {
			t.Parallel()
			a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{feed}, Notifications: true, Counts: true})
			testkit.Profiles(t, a.Client, "ada", "bob")
			h := a.hourly(300)
			delivers := func(p string, to ...string) wire.Counts {
				a.PostTo(p, "ada", "ada", day, to...)
				return h.changes("OnPostWritten", "posts/"+p, nil, post("ada", to...))
			}
			plain := delivers("plain")
			named := delivers("named", "bob").Minus(plain)
			if got := [2]int64{named.Reads, named.Writes}; got != want {
				t.Errorf("it costs %d reads and %d writes, want %d", got[0], got[1], want)
			}
		})
	}
}

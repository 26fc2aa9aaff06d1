package entries_test

import (
	"fmt"
	"testing"

	"example.com/relationindex/schema"
)

// Timelines that are turned on over existing data get the newest posts that reach a reader,
// whoever brings them and whether they are older than the follow, and no others. A check of as
// many finds nothing, and misses those that come with a follow alone.
func TestEnabledTimelinesGetNewestPosts(t *testing.T) {
	t.Parallel()
	for name, cfg := range configs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.NoOwnPosts = false
			w := newWorld(t, cfg)
			w.write("eve", "e0")
			w.write("eve", "e1")
			w.joins("eve", "r1")
			w.joins("ada", "r1")
			for n := range 7 {
				w.write("ada", fmt.Sprint("a", n))
			}
			w.write("eve", "e2", "r1") // names a follower
			w.write("zoe", "z0", "r1", "r2")
			w.write("r1", "own")
			w.write("bob", "b0")
			w.repair(5, 5+1+3+1+5+1) // own posts of ada, bob, eve and zoe; then those of r1 and r2
			w.wantFeed("r1", "a5 a6 e2 own z0")
			w.wantFeed("r2", "z0")
			w.check(5)
			w.repair(5, 0)
			w.check(6, "users/ada/timeline: a1: is missing", "users/r1/timeline: a4: is missing")
			w.repair(12, 7+2)
			w.check(0)
		})
	}
}

// Of many audiences, the newest posts are looked at, whoever they are by.
func TestTimelinesGetTheNewestOfManyAudiences(t *testing.T) {
	t.Parallel()
	w := newWorld(t, configs["items"])
	for n := range 8 {
		audience := fmt.Sprint("u", n)
		w.joins(audience, "r1")
	}
	for n := range 24 { // u3 has the newest, then u2, u1, u0, u7, …
		w.write(fmt.Sprint("u", (n+4)%8), fmt.Sprintf("p%02d", n))
	}
	w.repair(3, 3)
	w.wantFeed("r1", "p21 p22 p23")
	w.check(3)
	w.check(4, "users/r1/timeline: p20: is missing")
}

// The first repair fills a timeline up to its cap. A second repair pushes none of these entries out.
func TestSecondRepairKeepsEntriesAtCap(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]schema.Config{"items": {NoOwnPosts: true, Feeds: []string{"relations", "items"}, Cap: 3}, "buckets": {NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 1, Cap: 3}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, cfg)
			for n := range 7 {
				w.write("ada", fmt.Sprint("p", n))
			}
			w.joins("ada", "r1")
			w.repair(7, 3)
			w.wantFeed("r1", "p4 p5 p6")
			w.repair(7, 0)
			w.wantFeed("r1", "p4 p5 p6")
			w.check(7)
		})
	}
}

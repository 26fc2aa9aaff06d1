package entries_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/internal/wire"
)

// A mentioned person's timeline is looked up once, for any number of posts.
func TestTimelinesOfOftenMentionedPeopleAreReadOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, configs["buckets of 50"])
	w.joins("ada", "r1") // an edge alone
	requests := func(posts int) int64 {
		t.Helper()
		for n := range posts {
			p := fmt.Sprint(posts, n)
			w.write("zoe", p, "r1", "r2") // r2 gets a timeline
			w.must(w.Timelines.Post(t.Context(), p))
		}
		var meter wire.Meter
		c, err := entries.Check(t.Context(), w.open(meter.Interceptor()).Timelines, entries.Options{})
		if w.must(err); c.Problems > 0 {
			t.Errorf("%d problems", c.Problems)
		}
		return meter.Counts().Requests
	}
	if one, many := requests(1), requests(20); one != many {
		t.Errorf("a check makes %d requests with 1 post, and %d with 21", one, many)
	}
}

// A reader who follows nobody gets all posts that mention them, even when a repair of another reader
// brought some of them.
func TestTimelinesOfMentionedPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t, configs["items"])
	w.joins("ada", "r1")
	w.write("ada", "p0", "r1", "r2")
	w.write("ada", "p1", "r2")
	w.write("ada", "p2", "r2", "r3")
	w.write("ada", "p3", "r3")
	w.check(0, "users/r2/timeline: p0: is missing", "users/r2/timeline: p1: is missing", "users/r2/timeline: p2: is missing",
		"users/r3/timeline: p2: is missing", "users/r3/timeline: p3: is missing",
		"users/r1/timeline: p0: is missing", "users/r1/timeline: p1: is missing", "users/r1/timeline: p2: is missing", "users/r1/timeline: p3: is missing")
	_, err := entries.Repair(t.Context(), w.Timelines, entries.Options{})
	w.must(err)
	w.check(0)
	w.wantFeed("r1", "p0 p1 p2 p3")
	w.wantFeed("r2", "p0 p1 p2")
	w.wantFeed("r3", "p2 p3")
}

// A repair brings authors all their own posts, whatever audience these are for.
func TestTimelinesOfAuthorsHaveTheirOwnPosts(t *testing.T) {
	t.Parallel()
	cfg := configs["items"]
	cfg.NoOwnPosts = false
	w := newWorld(t, cfg)
	w.write("ada", "p0")
	for p, audience := range map[string]string{"p1": "group", "p2": ""} { // to a group, and to nobody
		w.set("posts/"+p, map[string]any{"userId": "ada", "audience": audience, "hidden": false, "to": []string{"bob"}, "createdAt": w.at})
	}
	w.joins("zoe", "ada")
	w.check(0, "users/bob/timeline: p1: is missing", "users/bob/timeline: p2: is missing",
		"users/ada/timeline: p0: is missing", "users/ada/timeline: p1: is missing", "users/ada/timeline: p2: is missing")
	_, err := entries.Repair(t.Context(), w.Timelines, entries.Options{})
	w.must(err)
	w.check(0)
	w.wantFeed("ada", "p0 p1 p2")
}

// A reader blocks an author while timelines are off. The repair removes the author's posts that name
// the reader from the reader's timeline, and from no other.
func TestRepairRemovesMentionsBlockedWhileTimelinesWereOff(t *testing.T) {
	t.Parallel()
	for name, cfg := range configs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.NoOwnPosts = false
			w := newWorld(t, cfg)
			w.joins("g_team", "r1")
			w.joins("g_team", "ada")
			w.set("posts/p1", map[string]any{"userId": "ada", "audience": "", "hidden": false, "to": []string{"r1", "r2"}, "createdAt": w.at})
			w.set("posts/p2", map[string]any{"userId": "ada", "audience": "g_team", "hidden": false, "createdAt": time.Now()})
			for _, p := range []string{"p1", "p2"} {
				w.must(w.Timelines.Post(t.Context(), p))
			}
			w.check(0)
			w.wantFeed("r1", "p1 p2")
			w.set("users/r1/blocked/ada", map[string]any{"createdAt": w.at})
			w.set("users/ada/blocked/ada", map[string]any{"createdAt": w.at}) // nobody blocks themselves
			if checked, err := entries.Repair(t.Context(), w.Timelines, entries.Options{}); err != nil || checked.Problems != 1 {
				t.Errorf("a repair finds %+v: %v", checked, err)
			}
			w.check(0)
			w.wantFeed("r1", "p2")
			w.wantFeed("r2", "p1")
			w.wantFeed("ada", "p1 p2")
			w.set("posts/p2", map[string]any{"userId": "ada", "audience": "g_team", "hidden": false, "to": []string{"r1"}, "createdAt": time.Now()}) // an edit names whom it reached before
			_, err := entries.Repair(t.Context(), w.Timelines, entries.Options{})
			w.must(err)
			w.check(0)
			w.wantFeed("r1", "")
			w.wantFeed("ada", "p1 p2")
		})
	}
}

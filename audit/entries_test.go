package audit_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
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
			testkit.Profiles(t, w.DB.Client, "r1", "r2")
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
	for name, cfg := range map[string]schema.Config{"items": {NoOwnPosts: true, Feeds: []string{"items"}, Cap: 3}, "buckets": {NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 1, Cap: 3}} {
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

// The next repair applies the settings that readers wrote while reader settings were off:
// it marks hidden posts and removes hidden kinds. After settings are turned off, a repair
// removes the marks and restores the entries.
func TestRepairAppliesSettingsTurnedOnAndOff(t *testing.T) {
	t.Parallel()
	for name, cfg := range configs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, cfg)
			w.joins("ada", "r1")
			for _, p := range []string{"p1", "p2"} {
				w.set("posts/"+p, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "kind": p, "createdAt": w.at.Add(time.Hour)})
				w.must(w.Timelines.Post(t.Context(), p))
			}
			w.set("users/r1/hidden/p1", map[string]any{})
			w.set("users/r1/settings/feed", map[string]any{"hide": []string{"*/p2"}})
			turn := func(settings bool) {
				t.Helper()
				w.cfg.ReaderSettings = settings
				w.System = testkit.Index(t, w.project, w.cfg)
				c, err := entries.Check(t.Context(), w.Timelines, entries.Options{Posts: 10})
				want := int64(2)
				if settings {
					want++ // that fan-outs do not know of it
				}
				if w.must(err); c.Problems != want {
					t.Errorf("settings are %t: %d problems, want %d", settings, c.Problems, want)
				}
				_, err = entries.Repair(t.Context(), w.Timelines, entries.Options{Posts: 10})
				w.must(err)
				w.check(10)
			}
			w.check(10)
			turn(true)
			w.wantFeed("r1", "p1")
			turn(false)
			w.wantFeed("r1", "p1 p2")
		})
	}
}

// A reader hides a post before its delivery, while settings are off. After a repair, the post is delivered with the mark.
func TestRepairMarksPostHiddenBeforeDelivery(t *testing.T) {
	t.Parallel()
	w := newWorld(t, configs["items"])
	w.set("users/r1/hidden/p1", map[string]any{})
	w.cfg.ReaderSettings = true
	w.System = w.open()
	w.check(0, "_hides/p1: does not say that r1 hides the post")
	_, err := entries.Repair(t.Context(), w.Timelines, entries.Options{})
	w.must(err)
	w.check(0)
	w.joins("ada", "r1")
	w.set("posts/p1", map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": w.at.Add(time.Hour)})
	w.must(w.Timelines.Post(t.Context(), "p1"))
	listed, err := pages.Newest(t.Context(), w.DB, w.Timelines.Layout(), "r1", 10)
	w.must(err)
	if len(listed) != 1 || !listed[0].Hidden {
		t.Errorf("the timeline has %+v, want p1 with the mark", listed)
	}
	w.check(0)
}

// No event of a comment was handled. The repair lifts its post for readers who follow the commenter.
func TestRepairLiftsPostsWithMissedComments(t *testing.T) {
	t.Parallel()
	cfg := configs["items"]
	cfg.Ranked = true
	w := newWorld(t, cfg)
	w.joins("ada", "r1")
	w.joins("ada", "r2")
	w.joins("tom", "r1")
	now := time.Now()
	for n, p := range []string{"p1", "p2"} {
		w.set("posts/"+p, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": now.Add(time.Duration(n-60) * time.Minute)})
		w.must(w.Timelines.Post(t.Context(), p))
	}
	w.set("posts/p1/comments/c1", map[string]any{"userId": "tom", "createdAt": now, "text": "yes"})
	for range 2 {
		_, err := entries.Repair(t.Context(), w.Timelines, entries.Options{})
		w.must(err)
	}
	for reader, want := range map[string]string{"r1": "p1", "r2": "p2"} {
		listed, err := pages.Newest(t.Context(), w.DB, w.Timelines.Layout(), reader, 1)
		if w.must(err); len(listed) != 1 || listed[0].Post != want {
			t.Errorf("the timeline of %s begins with %+v, want %s", reader, listed, want)
		}
	}
	w.check(0)
}

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
	testkit.Profiles(t, w.DB.Client, "r1", "r2", "r3")
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
	testkit.Profiles(t, w.DB.Client, "bob")
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
			testkit.Profiles(t, w.DB.Client, "r1", "r2")
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

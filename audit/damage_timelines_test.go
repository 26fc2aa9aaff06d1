package audit_test

import (
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// damagedTimelines are about timelines alone, which begin without documents.
func damagedTimelines() map[string]policy {
	rows := map[string]policy{
		"a bucket in the way of the open one": {
			cfg: schema.Config{Feeds: []string{"buckets"}, Bucket: 1}, empty: true,
			before: timeline("p0", "p1", "p2", "p3"), damage: []step{gone("users/r00/timeline/open"), sequence("past-00000003", firestore.Delete)},
			then: []step{written("p4", 4), settled, written("p5", 5), settled, written("p6", 6), gone("posts/p3")},
			sees: feeds{"r00": "p0 p1 p4 p5 p6"}, repair: repaired,
		},
		"a bucket of a ring in the way of the open one": {
			cfg: schema.Config{Feeds: []string{"buckets"}, Bucket: 1, Cap: 3}, empty: true,
			before: timeline("p0", "p1", "p2", "p3"), damage: []step{gone("users/r00/timeline/open"), sequence("past-00000000", 700)},
			then: []step{written("p4", 4), settled, written("p5", 5), settled, written("p6", 6), gone("posts/p3")},
			sees: feeds{"r00 r01": "p4 p5 p6"}, repair: repaired, rests: feeds{"r00 r01": "p4 p5 p6"},
		},
		"the oldest bucket of a ring": {
			cfg: schema.Config{Feeds: []string{"buckets"}, Bucket: 1, Cap: 4}, empty: true,
			before: timeline("p0", "p1", "p2", "p3", "p4", "p5"), damage: []step{sequence("past-00000002", firestore.Delete)},
			then: []step{written("older", -1), settled, func(a *testkit.App) { a.Post("late", "author", stories.Day.Add(3*time.Minute+time.Second)) }},
			sees: feeds{"r00 r01": "p2 p3 late p4 p5"}, repair: repaired, rests: feeds{"r00": "p3 late p4 p5", "r01": "p2 p3 late p4 p5"},
		},
	}
	for name, limit := range map[string]int{"": 100, " by a job": 1} {
		crowd := policy{
			cfg: schema.Config{Feeds: []string{"items"}, InlineLimit: limit, Capacity: 1}, empty: true,
			before: []step{follow("author", "r00"), settled, follow("author", "r01"), settled, follow("author", "r02")},
			damage: []step{merge(indexes+"00002", testkit.Mendable)}, then: []step{func(a *testkit.App) { a.Post("p0", "author", time.Now()) }},
		}
		rows["an index document that a job mends, and a post in timelines"+name] = crowd
		crowd.damage, crowd.failed = []step{set(indexes+"00002", noArray)}, map[string]string{"author/00002": ""}
		crowd.sees = feeds{"r01": ""}
		rows["an index document, and a post in timelines"+name] = crowd
	}
	for name, l := range map[string]schema.Config{"items": {Feeds: []string{"items"}, Expire: month}, "days": {Feeds: []string{"days"}, Expire: month}} {
		end := func(a *testkit.App) { a.Post("p", "author", time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC)) }
		rows["a post of the last year in "+name] = policy{
			cfg: l, empty: true, before: []step{follow("author", "r00"), settled, func(a *testkit.App) { a.Post("p", "author", time.Now()) }}, then: []step{end},
		}
	}
	return rows
}

// timeline has r00 and r01 follow, and the author write, a minute between posts.
func timeline(posts ...string) []step {
	changes := []step{func(a *testkit.App) {
		for _, r := range everyone[:2] {
			a.FollowSince(r, "author", stories.Day.Add(-time.Hour))
		}
	}, settled}
	for n, p := range posts {
		changes = append(changes, written(p, n), settled)
	}
	return changes
}

// sequence overwrites the sequence of a bucket of r00.
func sequence(bucket string, value any) step {
	return merge("users/r00/timeline/"+bucket, fields{"sequence": value})
}

package audit_test

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// policy says what functions do about damage: what is damaged, what happens then, and all that comes of it. Whoever is not
// named sees what follows and posts say, damage or not. After a repair, everybody does, and verify finds nothing.
//
// It begins with the documents of [testkit.Twelve]: the author has the posts p0 and p1, and the followers r00 to r11, two
// in each index document.
type policy struct {
	cfg     schema.Config
	empty   bool   // it begins with no documents
	before  []step // whose events are handled before the damage
	damage  []step
	refuses func(req any) bool // Firestore rejects these writes of the functions
	then    []step             // whose events are handled, with the jobs that come of them

	told   []string          // documents that failed jobs tell of, each logged once
	logs   int               // of failed jobs that are gone again
	mended bool              // events fail until a job has mended what they need
	failed map[string]string // index documents that no job could mend, and who waits to leave each
	sees   feeds             // what these readers see before the repair
	also   func(*testkit.App)
	repair func(*testkit.App) // nil: repair --damaged, if something was told or failed
	rests  feeds              // what these readers see in the end
}

// fields are of a document, and feeds have the posts of readers: "r02 r03" see "p0 p1".
type (
	fields = map[string]any
	feeds  = map[string]string
)

var (
	everyone = numbered("r%02d", 12)
	joiners  = numbered("new%d", 12)
	leaving  = []step{follow("author", joiners...), unfollow("author", everyone...)} // and joining
	p2       = written("p2", 120)
)

const (
	indexes = "users/author/followers_index/"
	month   = 30 * 24 * time.Hour
)

// noArray has followers of an index document that no job mends.
var noArray = fields{"followers": "x"}

// unsure is what readers see who see a post if their event comes late enough.
const unsure = "?"

// jobs are configurations in which handlers do the work themselves, a job does it, or several do.
var jobs = map[string]schema.Config{"": {}, " by a job": {InlineLimit: 2, Chunk: 2}, " by jobs in ranges": {InlineLimit: 2, Chunk: 2, Range: 2}}

func policies() map[string]policy {
	rows := map[string]policy{
		"edges of who leave": {
			damage: []step{merge("users/r03/following/author", fields{"indexId": 7}), merge("users/r04/following/author", fields{"indexId": "a/b"})},
			then:   leaving, told: []string{"users/r03/following/author", "users/r04/following/author"}, sees: feeds{"r03 r04": "p0 p1"},
		},
		"an index document of who leave": {
			damage: []step{set(indexes+"00002", testkit.BeyondRepair)},
			then:   leaving, failed: map[string]string{"author/00002": "r02 r03"}, sees: feeds{"r02 r03": "p0 p1"},
		},
		"the current index document of who leave": {
			damage: []step{set(indexes+"00006", testkit.BeyondRepair)},
			then:   leaving, failed: map[string]string{"author/00006": "r10 r11"}, sees: feeds{"r10 r11": "p0 p1"},
		},
		"index documents that jobs mend": {
			cfg: jobs[" by a job"], mended: true,
			damage: []step{merge(indexes+"00001", testkit.Mendable), merge(indexes+"00002", fields{"version": "7", "sizeBytes": nil, "backfilled": 3}),
				merge(indexes+"00003", fields{"changes": "none", "count": []string{}})},
			then: append([]step{p2, written("late", -60)}, leaving[0], unfollow("author", "r00", "r02", "r04")),
		},
		"a full index document that reports room": {
			damage: []step{merge(indexes+"00001", fields{"count": 0, "sizeBytes": 0}), merge("users/author", fields{"latestFollowersIndex": "00001"})},
			then:   []step{p2, settled, follow("author", joiners...)},
		},
		"a list with a gap, of who leave and join": {
			damage: []step{gone(indexes + "00003"), merge("users/author", fields{"followers_index": 5})},
			then:   []step{follow("author", joiners[:6]...), unfollow("author", everyone[:6]...)},
			told:   []string{indexes + "00004"}, sees: feeds{"r04 r05": "p0 p1", "new0 new1 new2 new3 new4 new5": unsure},
		},
		"a list that names too many": {
			damage: []step{merge("users/author", fields{"followers_index": []string{"00001", "00002", "00003", "00004", "00005", "00006", "00007"}})},
			then:   []step{follow("author", "new0")},
		},
		"an edge of an account that is deleted": {
			damage: []step{merge("users/r01/following/author", fields{"indexId": 7})},
			then: []step{merge("users/author", fields{"name": "A"}), again("OnFollowerWritten", "users/author/followers/r01"),
				func(a *testkit.App) { a.WantTold("users/r01/following/author") }, func(a *testkit.App) { a.DeleteAccount("author") }},
			logs: 1, also: func(a *testkit.App) { a.WantGone("author") },
		},
		"accounts that a purge meets": purged(),
		"a post with NaN": {
			cfg: schema.Config{CopiedFields: []string{"score", "list"}},
			then: []step{set("posts/p2", fields{
				"userId": "author", "createdAt": stories.Day.Add(time.Hour), "score": math.NaN(), "list": []any{fields{"n": math.NaN()}, time.Unix(1, 0)},
			})},
		},
	}
	for name, cfg := range jobs {
		rows["index documents, and a post"+name] = policy{
			cfg: cfg, damage: []step{merge(indexes+"00001", testkit.Mendable), merge(indexes+"00003", noArray)},
			then: []step{p2}, failed: map[string]string{"author/00003": ""}, sees: feeds{"r04 r05": "p0 p1"},
		}
		rows["a list with a gap, and a deleted post"+name] = policy{
			cfg: cfg, damage: []step{gone(indexes + "00003"), set("users/author", fields{"name": "Ada"})}, then: []step{gone("posts/p1")}, repair: repaired,
		}
		rows["a list with a gap, and a post for it"+name] = policy{
			cfg: cfg, damage: []step{set("users/g_few", fields{"name": "Few"}),
				merge("users/g_few/followers_index/00002", fields{"followers": []string{"r00"}, "count": 1})},
			then: []step{merge("posts/p1", fields{"audience": "g_few"})}, told: []string{"users/g_few/followers_index/00002"},
		}
	}
	for name, fields := range map[string]map[string]any{
		"a number":                {"indexId": 7},
		"no index document":       {"indexId": "zzz"},
		"no document id":          {"indexId": "a/b"},
		"a reserved id":           {"indexId": "__x__"},
		"left is a string":        {"left": "00002"},
		"left is no document":     {"left": []string{"a/b"}},
		"createdAt is a string":   {"createdAt": "yesterday"},
		"several index documents": {"indexId": []string{"00002"}},
	} {
		edge := "users/r03/following/author"
		rows["an edge: "+name] = policy{
			damage: []step{merge(edge, fields)}, told: []string{edge},
			then: []step{again("OnFollowerWritten", "users/author/followers/r03"), again("OnFollowerWritten", "users/author/followers/r03")},
		}
		rows["an edge of who leaves: "+name] = policy{
			damage: []step{merge(edge, fields)}, told: []string{edge},
			then: []step{unfollow("author", "r03")}, sees: feeds{"r03": "p0 p1"},
		}
	}
	for name, fields := range map[string]map[string]any{
		"too few":  {"followers_index": []string{"00001"}, "latestFollowersIndex": "00001"},
		"too many": {"followers_index": append(numbered("%05d", 9)[1:], "00009"), "latestFollowersIndex": "00009"},
		"none":     {},
	} {
		server := set("users/author", fields)
		rows["a user whom a server overwrites, with "+name] = policy{
			damage: []step{server}, then: []step{p2, settled, server, follow("author", "new0"), settled, server, unfollow("author", "r00"), settled, server,
				follow("author", "new1", "new2")},
		}
	}
	for name, then := range map[string][]step{"leaves": {unfollow("author", "r02")}, "leaves and returns": {unfollow("author", "r02"), follow("author", "r02")}} {
		rows["a restored index document of who "+name] = policy{damage: []step{func(a *testkit.App) { a.Renew(indexes + "00002") }}, then: then}
	}
	for name, retry := range map[string]func(*testkit.App){
		"its job is retried": func(a *testkit.App) {
			_, err := a.Instance().Engine.Retry(a.T.Context(), "index:author:00002")
			a.OK(err)
		},
		"its job is requested": func(a *testkit.App) {
			a.OK(a.Instance().Graph.EnqueueIndex(a.T.Context(), "author", "00002", schema.IndexDocument{Version: 9}))
		},
	} {
		rows["an index document that an operator restores, and "+name] = policy{
			damage: []step{set(indexes+"00002", testkit.BeyondRepair)}, then: []step{unfollow("author", "r02")},
			failed: map[string]string{"author/00002": "r02"}, sees: feeds{"r02": "p0 p1"},
			repair: all(func(a *testkit.App) { set(indexes+"00002", testkit.Twelve(a.T.(*testing.T))[indexes+"00002"])(a) }, retry),
		}
	}
	maps.Copy(rows, rejections())
	maps.Copy(rows, damagedTimelines())
	return rows
}

func TestDamage(t *testing.T) {
	t.Parallel()
	for name, p := range policies() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p.run(t)
		})
	}
}

// purged is the purge of ada, who follows five stars and has left one of them: it goes past damaged documents, of ada and
// of others, and removes everything else.
func purged() policy {
	const redacted = "it named an account that is deleted"
	stars := numbered("star%d", 6)[1:]
	var before []step
	for _, star := range append(stars, "ada") {
		before = append(before, follow(star, "fan"))
		if star != "ada" {
			before = append(before, follow(star, "ada", "bob"))
		}
	}
	var traces []string
	for _, star := range []string{"star1", "star2", "star5"} {
		traces = append(traces, "users/"+star+"/followers_index/00001: changes", "users/"+star+"/followers_index/00001: followers")
	}
	return policy{
		cfg: schema.Config{Capacity: 3, Chunk: 2}, empty: true,
		before: append(before, set("users/ada", fields{"name": "Ada"}), func(a *testkit.App) { a.Post("p1", "ada", stories.Day) }),
		damage: []step{
			merge("users/ada/following/star1", fields{"indexId": 7}), merge("users/ada/following/star2", fields{"indexId": "a/b"}),
			set("users/star3/followers_index/00001", testkit.BeyondRepair), merge("users/star4/followers_index/00001", testkit.Mendable),
			merge("users/star5/followers_index/00001", fields{"followers": []any{"ada", "fan", 7}, "count": "two"}),
			set("users/ada/followers_index/00001", testkit.BeyondRepair), merge("users/fan/following/ada", fields{"indexId": 7}),
		},
		then: []step{unfollow("star5", "ada", "bob"), settled, func(a *testkit.App) { a.DeleteAccount("ada") }},
		told: []string{redacted, redacted}, failed: map[string]string{"star3/00001": "", "star5/00001": "bob"},
		also: func(a *testkit.App) {
			if got := slices.Sorted(slices.Values(a.Traces("ada"))); !slices.Equal(got, traces) {
				a.T.Errorf("ada is named by %q, want %q", got, traces)
			}
		},
	}
}

package audit_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/audit/repair"
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
		"relations that a repair cannot write": {
			damage: append(emptied(), set("_relations/stray", fields{
				"postId": "p0", "userId": "author", "audience": "author", "indexId": "00001", "createdAt": stories.Day, "followers": []string{"x"},
			})),
			then: []step{rejectedRepair("_relations/p0_00001")}, sees: feeds{"r00 r01": "p1"}, repair: repaired,
		},
		"a relation without room for copies": withoutRoom(),
		"a deletion of a relation that is rejected": {
			refuses: func(req any) bool {
				commit, ok := req.(*pb.CommitRequest)
				return ok && strings.HasPrefix(relationOf(commit), "p1_") && (len(commit.GetWrites()) > 1 || relationOf(commit) == "p1_00003")
			},
			then: []step{gone("posts/p1"), settled, again("OnPostWritten", "posts/p1")},
			told: []string{"_relations/p1_00003"}, sees: feeds{"r04 r05": "p0 p1"},
		},
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
		"an open bucket that is gone, at a removal": {
			cfg: schema.Config{Feeds: []string{"buckets"}, Bucket: 1}, empty: true,
			before: timeline("p0", "p1"), damage: []step{gone("users/r00/timeline/open")},
			then: []step{gone("posts/p0"), settled, func(a *testkit.App) { a.WantTimeline("r00") }, written("p2", 2)},
			sees: feeds{"r00": "p2"}, rests: feeds{"r00": "p2"},
		},
		"the oldest bucket of a ring": {
			cfg: schema.Config{Feeds: []string{"buckets"}, Bucket: 1, Cap: 4}, empty: true,
			before: timeline("p0", "p1", "p2", "p3", "p4", "p5"), damage: []step{sequence("past-00000002", firestore.Delete)},
			then: []step{written("older", -1), settled, func(a *testkit.App) { a.Post("late", "author", stories.Day.Add(3*time.Minute+time.Second)) }},
			sees: feeds{"r00 r01": "p2 p3 late p4 p5"}, repair: repaired, rests: feeds{"r00": "p3 late p4 p5", "r01": "p2 p3 late p4 p5"},
		},
	}
	for name, cfg := range jobs {
		rows["index documents, and a post"+name] = policy{
			cfg: cfg, damage: []step{merge(indexes+"00001", testkit.Mendable), merge(indexes+"00003", noArray)},
			then: []step{p2}, failed: map[string]string{"author/00003": ""}, sees: feeds{"r04 r05": "p0 p1"},
		}
		rows["a rejected relation of a post"+name] = policy{
			cfg: cfg, refuses: testkit.CommitOf("_relations/p2_00002"),
			then: []step{p2, settled, again("OnPostWritten", "posts/p2")}, told: []string{"_relations/p2_00002"}, sees: feeds{"r02 r03": "p0 p1"},
		}
		rows["a rejected relation of a new index document"+name] = policy{
			cfg: cfg, before: []step{p2, written("p3", 3), written("p4", 4)}, refuses: testkit.CommitOf("_relations/p0_00007"),
			then: []step{follow("author", "new0"), settled, follow("author", "new1")}, told: []string{"_relations/p0_00007"}, sees: feeds{"new0 new1": "p1 p2 p3 p4"},
		}
		rows["a rejected relation of who leave"+name] = policy{
			cfg: cfg, before: []step{p2, written("p3", 3), written("p4", 4)}, refuses: testkit.CommitOf("_relations/p0_00002"),
			then: []step{unfollow("author", "r02"), settled, unfollow("author", "r03")}, told: []string{"_relations/p0_00002"}, sees: feeds{"r02 r03": "p0"},
		}
		rows["a list with a gap, and a deleted post"+name] = policy{
			cfg: cfg, damage: []step{gone(indexes + "00003")}, then: []step{gone("posts/p1")}, repair: repaired,
		}
		rows["a list with a gap, and a post for it"+name] = policy{
			cfg: cfg, damage: []step{set("users/g_few", fields{"name": "Few"}),
				merge("users/g_few/followers_index/00002", fields{"followers": []string{"r00"}, "count": 1})},
			then: []step{merge("posts/p1", fields{"audience": "g_few"})}, told: []string{"users/g_few/followers_index/00002"},
		}
	}
	for name, damage := range map[string]step{
		"gone":            gone("users/r00/timeline/open"),
		"not ours":        set("users/r00/timeline/open", fields{"sequence": "x", "entries": []string{"y"}, "total": -7}),
		"no sequence":     sequence("open", firestore.Delete),
		"an old sequence": sequence("open", 1),
	} {
		left := "p0 p2 p3"
		if name == "gone" || name == "not ours" { // p2 was in it
			left = "p0 p3"
		}
		rows["an open bucket: "+name] = policy{
			cfg: schema.Config{Feeds: []string{"buckets"}, Bucket: 1}, empty: true, before: timeline("p0", "p1", "p2"), damage: []step{damage},
			then: []step{written("p3", 3), settled, gone("posts/p1"), again("OnPostWritten", "posts/p3")},
			sees: feeds{"r00": left}, rests: feeds{"r00": left},
		}
	}
	for name, cfg := range map[string]schema.Config{"buckets": {Feeds: []string{"buckets"}, Bucket: 1}, "days": {Feeds: []string{"days"}}} {
		rows["an edge, and a post that moves in "+name] = policy{
			cfg: cfg, empty: true, before: timeline("p0", "p1"), damage: []step{merge("users/r00/following/author", fields{"indexId": 7})},
			then: []step{merge("posts/p1", fields{"createdAt": stories.Day.Add(-48 * time.Hour)})}, told: []string{"users/r00/following/author"},
			also: func(a *testkit.App) {
				a.WantTimeline("r00", "p1", "p0")
				a.WantTimeline("r01", "p0", "p1")
			},
		}
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
		crowd.rests = crowd.sees // a repair of timelines brings only as many posts as it is told to
		rows["an index document, and a post in timelines"+name] = crowd
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
	for name, l := range map[string]schema.Config{"items": {Feeds: []string{"items"}, Expire: month}, "days": {Feeds: []string{"days"}, Expire: month}} {
		end := func(a *testkit.App) { a.Post("p", "author", time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC)) }
		rows["a post of the last year in "+name] = policy{
			cfg: l, empty: true, before: []step{follow("author", "r00"), settled, func(a *testkit.App) { a.Post("p", "author", time.Now()) }}, then: []step{end},
		}
	}
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

// emptied takes the followers out of all relations.
func emptied() (changes []step) {
	for _, i := range numbered("%05d", 7)[1:] {
		for _, p := range []string{"p0", "p1"} {
			changes = append(changes, merge("_relations/"+p+"_"+i, fields{"followers": []string{}}))
		}
	}
	return changes
}

// rejectedRepair is a repair of everything whose write of a relation Firestore rejects: it names the relation, and does all
// the rest.
func rejectedRepair(relation string) step {
	return func(a *testkit.App) {
		_, err := repair.New(a.Instance(testkit.Refusing(testkit.CommitOf(relation)))).Repair(a.T.Context(), "", nil, nil)
		if !errors.Is(err, schema.ErrDamaged) || !strings.Contains(err.Error(), relation) {
			a.T.Errorf("repair ends with %v, want %s", err, relation)
		}
		if n := a.Count("_relations"); n != 12 {
			a.T.Errorf("%d relations, want the stray one deleted", n)
		}
	}
}

// relationOf is the name of the relation that a commit writes or deletes first: "p1_00003".
func relationOf(commit *pb.CommitRequest) string {
	if len(commit.GetWrites()) == 0 {
		return ""
	}
	write := commit.GetWrites()[0]
	_, name, _ := strings.Cut(write.GetUpdate().GetName()+write.GetDelete(), "/_relations/")
	return name
}

// withoutRoom is about a relation with room for its followers, and not for what is copied. It is written without copies,
// for a new post, an edit, and when it is copied again. A repair ends, and says what is left.
func withoutRoom() policy {
	copies := func(req any) bool {
		commit, _ := req.(*pb.CommitRequest)
		return slices.ContainsFunc(commit.GetWrites(), func(write *pb.Write) bool {
			_, copied := write.GetUpdate().GetFields()["text"]
			return copied && strings.HasSuffix(write.GetUpdate().GetName(), "/_relations/p2_00002")
		})
	}
	want := func(text string) step {
		return func(a *testkit.App) {
			for i, full := range map[string]bool{"00001": false, "00002": true} {
				if got := a.Data("_relations/p2_" + i)["text"]; full && got != nil || !full && got != text {
					a.T.Errorf("the relation of %s has the text %v, and the post has %s", i, got, text)
				}
			}
		}
	}
	return policy{
		cfg: schema.Config{CopiedFields: []string{"text"}}, refuses: copies,
		then: []step{p2, settled, want("text of p2"), merge("posts/p2", fields{"text": "new"}), settled, want("new"),
			merge(indexes+"00002", fields{"backfilled": false}), again("OnFollowerWritten", "users/author/followers/r02"), want("new")},
		also: func(a *testkit.App) {
			left, err := repair.New(a.Instance(testkit.Refusing(copies))).Repair(a.T.Context(), "", nil, nil)
			if err != nil || len(left.Left) != 1 || !strings.HasSuffix(left.Left[0].Document, "_relations/p2_00002") {
				a.T.Errorf("repair ends with %v, and leaves %v", err, left.Left)
			}
		}, repair: repaired,
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

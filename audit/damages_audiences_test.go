//go:build long

package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// later is the time of posts after the first.
var later = stories.Day.Add(time.Hour)

var soundGroup struct {
	sync.Once
	documents map[string]map[string]any
}

// audiencesApp has an author with the follower r1, and the group g_team with the followers
// r1 and r2 in its first index document, r3 in its second. The author's posts: "old" is of
// a client that knows no audiences, "team" is for the group and r9, "direct" for r9 and r3
// alone, "hidden" for nobody. No event is handled any more.
func audiencesApp(t *testing.T) *testkit.App {
	t.Helper()
	cfg := schema.Config{NoOwnPosts: true, Capacity: 2, CopiedFields: []string{"text"}}
	soundGroup.Do(func() {
		a := testkit.NewApp(t, cfg)
		a.Profile("author", map[string]any{"name": "Ada"})
		a.Group("g_team", "author")
		a.Follow("r1", "author")
		for _, r := range []string{"r1", "r2", "r3"} {
			a.Follow(r, "g_team")
			a.Settle()
		}
		a.Post("old", "author", stories.Day)
		a.PostTo("team", "author", "g_team", later, "r9")
		a.PostTo("direct", "author", "", later, "r9", "r3")
		a.PostTo("hidden", "author", "author", later, "r9")
		a.Edit("hidden", firestore.Update{Path: "hidden", Value: true})
		a.Settle()
		a.WantVerified()
		soundGroup.documents = testkit.Documents(t, a.Client, nil)
	})
	return testkit.CopyOf(t, cfg, soundGroup.documents)
}

// audienceDamages break invariant 3 of audiencesApp.
func audienceDamages() []damaged {
	const (
		direct = "_relations/team_00000"
		group  = "_relations/team_00001"
		old    = "_relations/old_00001"
	)
	unmark := func(a *testkit.App) {
		for path := range a.Documents(a.Client.Collection("_relations").Query) {
			if !strings.HasSuffix(path, "_"+schema.DirectIndex) {
				merge(path, map[string]any{"audience": firestore.Delete})(a)
			}
		}
	}
	return []damaged{
		{"a direct relation that is missing", gone(direct), 3, direct, `relation of post "team" and its recipients is missing`},
		{"a direct relation of other recipients", merge("posts/team", map[string]any{"to": []string{"r9", "r3"}}), 3, direct, "that of the post's recipients is"},
		{"a direct relation with a stranger", merge(direct, map[string]any{"followers": []string{"r9", "x"}, "sizeBytes": 5}), 3, direct, `holds "x", who is no recipient`},
		{"a direct relation with a reader twice", merge(direct, map[string]any{"followers": []string{"r9", "r9"}, "sizeBytes": 6}), 3, direct, `holds "r9" twice`},
		{"a direct relation of a wrong size", merge(direct, map[string]any{"sizeBytes": 7}), 3, direct, "sizeBytes is 7"},
		{"a direct relation without an audience", merge(direct, map[string]any{"audience": firestore.Delete}), 3, direct, "audience is not empty"},
		{"a direct relation of an audience", merge(direct, map[string]any{"audience": "g_team"}), 3, direct, "audience is not empty"},
		{"a direct relation of another author", merge(direct, map[string]any{"userId": "other"}), 3, direct, `is by "other", but its post is by "author"`},
		{"a direct relation of another post", merge(direct, map[string]any{"postId": "direct"}), 3, direct, `has the post and index document of "direct_00000"`},
		{"a direct relation with an old copy", merge(direct, map[string]any{"text": "old"}), 3, direct, "copied fields differ"},
		{"a direct relation that is none", merge(direct, map[string]any{"followers": 5}), 3, direct, "not a relation"},
		{"a direct relation of a post that is gone", gone("posts/direct"), 3, "_relations/direct_00000", `post "direct" does not exist`},
		{"a direct relation of a post for nobody", merge("posts/direct", map[string]any{"to": []string{}}), 3, "_relations/direct_00000", "has no such relation"},
		{"a direct relation of a post that is hidden", merge("posts/direct", map[string]any{"hidden": true}), 3, "_relations/direct_00000", "has no such relation"},
		{"a direct relation of a post whose recipients are none", merge("posts/direct", map[string]any{"to": "r9"}), 3, "_relations/direct_00000", "has no such relation"},
		{"a direct relation under a wrong name", set("_relations/wrong_00000", map[string]any{"postId": "team", "userId": "author", "audience": "", "indexId": "00000", "followers": []string{"x"}, "createdAt": stories.Day}), 3, "_relations/wrong_00000", "has no such relation"},
		{"a relation of no audience", set("_relations/old_00002", map[string]any{"postId": "old", "userId": "author", "audience": "", "indexId": "00002", "followers": []string{"x"}, "createdAt": stories.Day}), 3, "_relations/old_00002", "has no such relation"},
		{"a relation of a group that is missing", gone(group), 3, group, "is missing"},
		{"a relation of a group with other followers", merge(group, map[string]any{"followers": []string{"r1", "x"}}), 3, group, "differ from the index document's"},
		{"a relation of another audience", merge(group, map[string]any{"audience": "author"}), 3, group, `does not exist or is not for "author"`},
		{"a relation of a group by another author", merge(group, map[string]any{"userId": "other"}), 3, group, `is by "other", but its post is by "author"`},
		{"a post that moved to another audience", merge("posts/team", map[string]any{"audience": "author"}), 3, "_relations/team_00002", `is not for "g_team"`},
		{"a post that has a group as audience now", merge("posts/old", map[string]any{"audience": "g_team"}), 3, "_relations/old_00002", "is missing"},
		{"a post whose audience is another person", merge("posts/old", map[string]any{"audience": "r1"}), 3, old, `is not for "author"`},
		{"a post whose audience is no string", merge("posts/old", map[string]any{"audience": 7}), 3, old, `is not for "author"`},
		{"a post that is hidden", merge("posts/team", map[string]any{"hidden": true}), 3, group, `is not for "g_team"`},
		{"an author's posts alone hidden", merge("posts/old", map[string]any{"hidden": true}), 3, old, `is not for "author"`},
		{"relations without an audience", unmark, 3, old, "is missing"},
		{"a relation of a group without an audience", merge(group, map[string]any{"audience": firestore.Delete}), 3, group, "is missing"},
		{"a relation without an audience, of no index document", set("_relations/old_00009", map[string]any{"postId": "old", "userId": "author", "indexId": "00009", "followers": []string{"x"}, "createdAt": stories.Day}), 3, "_relations/old_00009", "has no such relation"},
		{"a relation without an audience beside a missing one", func(a *testkit.App) {
			merge(old, map[string]any{"audience": firestore.Delete})(a)
			a.Must(a.Client.Doc("posts/older").Set(a.T.Context(), map[string]any{"userId": "author", "createdAt": stories.Day}))
		}, 3, "_relations/older_00001", "is missing"},
		{"a relation whose audience is no string", merge(group, map[string]any{"audience": 7}), 3, group, "is missing"},
	}
}

// Whatever is wrong with relations of audiences and recipients, verify names it, and a
// repair mends it at once. Nothing that clients write changes.
func TestVerifyAndRepairOfAudiences(t *testing.T) {
	t.Parallel()
	for _, c := range audienceDamages() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := audiencesApp(t)
			c.damage(a)
			if repaired := repairOf(a, c); repaired.After.Violations != 0 {
				t.Errorf("after the repair: %+v, %v", repaired.After, repaired.Left)
			}
			wantReaders(a, nil)
		})
	}
}

func TestRepairOfAudiencesAtOnce(t *testing.T) {
	t.Parallel()
	a := audiencesApp(t)
	for _, c := range audienceDamages() {
		c.damage(a)
	}
	var left verify.Verified
	for range 3 { // what is moved under a relation without an audience is found in the next round
		repaired, err := repair.New(a.Instance()).Repair(t.Context(), "", nil, nil)
		if left = repaired.After; err != nil {
			t.Fatal(err)
		}
	}
	if left.Violations != 0 {
		t.Errorf("after the repair: %+v", left)
	}
	wantReaders(a, nil)
}

// Of the author, verify finds direct relations of all posts, and relations of the author's
// followers. Those of a group's followers are found of the group.
func TestVerifyOfOneAudience(t *testing.T) {
	t.Parallel()
	a := audiencesApp(t)
	for _, u := range []string{"author", "g_team"} {
		if found := a.ViolationsOf(u); len(found) > 0 {
			t.Errorf("of %s at rest: %v", u, found)
		}
	}
	a.Must(a.Client.Doc("_relations/team_00001").Delete(t.Context()))
	a.Must(a.Client.Doc("_relations/team_00000").Delete(t.Context()))
	a.Must(a.Client.Doc("_relations/old_00001").Update(t.Context(), []firestore.Update{{Path: "audience", Value: firestore.Delete}}))
	a.Must(a.Client.Doc("_relations/gone_00000").Set(t.Context(), map[string]any{
		"postId": "gone", "userId": "author", "audience": "", "indexId": "00000", "followers": []string{"x"}, "createdAt": stories.Day,
	}))
	documents := func(u string) (found []string) {
		for _, v := range a.ViolationsOf(u) {
			found = append(found, v.Document)
		}
		slices.Sort(found)
		return found
	}
	for u, want := range map[string][]string{
		"author": {"_relations/gone_00000", "_relations/old_00001", "_relations/team_00000"},
		"g_team": {"_relations/team_00001"},
	} {
		testkit.Same(t, fmt.Sprintf("of %s", u), want, documents(u))
		if repaired, _ := a.Repair(u); repaired.After.Violations != 0 {
			t.Errorf("after the repair of %s: %v", u, repaired.Left)
		}
	}
	a.WantVerified()
	wantReaders(a, nil)
}

// A reader who blocks the author has no mentions of before or after, and all once the block ends. Verify finds what lost
// events leave, and repair ends it.
func TestRepairOfMentionsOfBlockedAuthors(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.PostTo("before", "author", "author", later, "r1", "r2")
	a.Settle()
	a.Block("r1", "author")
	a.PostTo("after", "author", "author", later, "r1", "r2")
	a.Settle()
	a.WantVerified()
	a.WantFeed("r1")
	a.Unblock("r1", "author")
	a.Settle()
	a.WantVerified()
	a.WantFeed("r1", "before", "after")
	a.Silence()
	for _, lost := range []struct {
		do   func(author, follower string)
		feed []string
	}{{a.Block, nil}, {a.Unblock, []string{"before", "after"}}} {
		lost.do("r1", "author")
		if n := len(a.Violations()); n != 2 {
			t.Errorf("verify finds %d violations, want the direct relations of two posts", n)
		}
		if repaired, _ := a.Repair(""); repaired.After.Violations != 0 {
			t.Errorf("repaired %+v", repaired)
		}
		a.WantFeed("r1", lost.feed...)
		a.WantFeed("r2", "before", "after")
	}
}

// A repair of audiences is disturbed. The next repair finishes it.
func TestNextRepairFinishesDisturbedRepairOfAudiences(t *testing.T) {
	t.Parallel()
	before := audiencesApp(t)
	for _, c := range audienceDamages() {
		if slices.Contains([]string{
			"a direct relation that is missing", "a direct relation of an audience", "a direct relation under a wrong name",
			"a post that has a group as audience now", "relations without an audience",
		}, c.name) {
			c.damage(before)
		}
	}
	documents := testkit.Documents(t, before.Client, nil)
	testkit.Disturb(t, disturbedRepair("audiences", func(t *testing.T) *testkit.App {
		return testkit.CopyOf(t, before.Config, documents)
	}, func(a *testkit.App) { wantReaders(a, nil) }))
}

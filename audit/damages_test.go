//go:build long

package audit_test

import (
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// damaged is a way to break an invariant in one document, and how verify names it.
type damaged struct {
	name      string
	damage    step
	invariant int
	document  string
	problem   string
}

// damages break the index of soundApp, each one invariant.
func damages() []damaged {
	const (
		index    = "users/author/followers_index/00001"
		second   = "users/author/followers_index/00002"
		relation = "_relations/p1_00001"
		edge     = "users/r1/following/author"
	)
	return []damaged{
		{"a follower without a place", set("users/author/followers/r9", map[string]any{}), 1, "users/author/followers/r9", "in no index document"},
		{"a follower without a place, who has left another", all(set("users/author/followers/r9", map[string]any{}), set("users/r9/following/author", map[string]any{"left": []string{"00001"}})), 1, "users/author/followers/r9", "in no index document"},
		{"a place without a follower", gone("users/author/followers/r1"), 1, index, `holds "r1", who does not follow`},
		{"a follower in two index documents", merge("users/author/followers_index/00002", map[string]any{"followers": firestore.ArrayUnion("r1")}), 1, "users/author/followers_index/00002", `follower "r1" is also in index document "00001"`},
		{"a follower without an edge", gone(edge), 1, edge, "edge is missing"},
		{"an edge without a follower", set("users/r9/following/author", map[string]any{"indexId": "00001"}), 1, "users/r9/following/author", "edge of a follow that does not exist"},
		{"an edge of nobody's", set("users/r9/following/nobody", map[string]any{"indexId": "00001"}), 1, "users/r9/following/nobody", "edge of a follow that does not exist"},
		{"an edge that names another index document", merge(edge, map[string]any{"indexId": "00002"}), 1, edge, `names index document "00002"`},
		{"an edge that never went", merge(edge, map[string]any{"left": []string{"00002"}}), 1, edge, "not settled"},
		{"an edge whose move never ended", merge(edge, map[string]any{"movesTo": "00002"}), 1, edge, `the follower moves to "00002"`},
		{"an edge that is none", set(edge, map[string]any{"indexId": 7}), 1, edge, "not an edge"},
		{"a wrong count", merge(index, map[string]any{"count": 7}), 2, index, "count is 7, but it holds 2"},
		{"a wrong size", merge(index, map[string]any{"sizeBytes": 7}), 2, index, "sizeBytes is 7"},
		{"an id twice", merge(index, map[string]any{"followers": []string{"r1", "r2", "r2"}}), 2, index, `holds "r2" twice`},
		{"too many ids", merge(index, map[string]any{"followers": []string{"r1", "r2", "x"}, "count": 3}), 2, index, "the capacity is 2"},
		{"a document that is no index document", merge(index, map[string]any{"followers": "r1"}), 2, index, "not an index document"},
		{"a change log that lags", merge(index, map[string]any{"version": 99}), 2, index, "newest change has version"},
		{"a change log that names who has left", merge(index, map[string]any{"version": 2, "changes": []any{map[string]any{"version": 2, "remove": []string{"r9"}}}}), 2, index, "name followers who have left"},
		{"a backfill that never ended", merge(index, map[string]any{"backfilled": false}), 2, index, "not backfilled"},
		{"a user who does not name an index document", merge("users/author", map[string]any{"followers_index": []string{"00001"}, "latestFollowersIndex": "00001"}), 2, "users/author", "lists 1 index documents, but 2 exist"},
		{"a user who names nonsense", merge("users/author", map[string]any{"followers_index": 5}), 2, "users/author", "followers_index is not an array"},
		{"a relation that is missing", gone(relation), 3, relation, "is missing"},
		{"all relations of an author missing", all(gone(relation), gone("_relations/p1_00002")), 3, relation, "is missing"},
		{"a relation of an old version", merge(relation, map[string]any{"indexVersion": 0}), 3, relation, "indexVersion is 0"},
		{"a relation of a wrong size", merge(relation, map[string]any{"sizeBytes": 7}), 3, relation, "sizeBytes is 7, but the index document's followers have 6"},
		{"a relation with other followers", merge(relation, map[string]any{"followers": []string{"r1", "x"}}), 3, relation, "differ from the index document's"},
		{"a relation with an old copy", merge(relation, map[string]any{"text": "old"}), 3, relation, "copied fields differ from the post's"},
		{"a relation with a field too many", merge(relation, map[string]any{"extra": 1}), 3, relation, "copied fields differ from the post's"},
		{"a relation of a post that is gone", gone("posts/p1"), 3, relation, `post "p1" does not exist`},
		{"a relation of no index document", set("_relations/p1_00009", map[string]any{"postId": "p1", "userId": "author", "audience": "author", "indexId": "00009", "createdAt": stories.Day}), 3, "_relations/p1_00009", `has no index document "00009"`},
		{"a relation of another author", merge(relation, map[string]any{"userId": "other"}), 3, relation, `is by "other", but its post is by "author"`},
		{"a relation of nobody", set("_relations/stray", map[string]any{"userId": "nobody", "audience": "nobody"}), 3, "_relations/stray", `does not exist or is not for "nobody"`},
		{"a relation of nobody and no audience", set("_relations/stray", map[string]any{"userId": "nobody"}), 3, "_relations/stray", "does not exist, or has no such relation"},
		{"a relation under the name of an earlier release", all(gone(relation), set("_relations/p1-00001", map[string]any{"postId": "p1", "userId": "author", "audience": "author", "indexId": "00001"})), 3, relation, "is missing"},
		{"a relation under a wrong name", set("_relations/wrong", map[string]any{"postId": "p1", "userId": "author", "audience": "author", "indexId": "00001"}), 3, "_relations/wrong", `has the post and index document of "p1_00001"`},
		{"a follower in two index documents without an edge", all(gone(edge), merge(second, map[string]any{"followers": firestore.ArrayUnion("r1")})), 1, second, `follower "r1" is also in index document "00001"`},
		{"a follower in the wrong index document", all(merge(index, map[string]any{"followers": []string{"r2"}}), merge(second, map[string]any{"followers": []string{"r3", "r1"}})), 1, edge, `names index document "00001", but the follower is in "00002"`},
		{"a follower taken out of the array", merge(index, map[string]any{"followers": []string{"r2"}}), 1, "users/author/followers/r1", "in no index document"},
		{"an edge that names nonsense", set(edge, map[string]any{"indexId": "a/b", "left": []string{"..", "a/b/c"}}), 1, edge, "not settled"},
		{"an edge without a follower that never went", set("users/r9/following/author", map[string]any{"left": []string{"00001"}}), 1, "users/r9/following/author", "edge of a follow that does not exist"},
		{"an edge that is none and without a follower", set("users/r9/following/author", map[string]any{"indexId": 7}), 1, "users/r9/following/author", "edge of a follow that does not exist"},
		{"an author who follows themselves", all(set("users/author/followers/author", map[string]any{}), set("users/author/following/author", map[string]any{"indexId": "00002"}), merge(second, map[string]any{"followers": firestore.ArrayUnion("author")})), 1, second, `holds "author", who does not follow`},
		{"an author who follows themselves in an edge alone", all(set("users/author/followers/author", map[string]any{}), set("users/author/following/author", map[string]any{"indexId": "00002"})), 1, "users/author/following/author", "edge of a follow that does not exist"},
		{"ids that are none", merge(index, map[string]any{"followers": []string{"r1", "a/b", "r2", "", ".."}}), 1, index, `holds "a/b", who does not follow`},
		{"too many followers", all(merge(index, map[string]any{"followers": []string{"r1", "r2", "r3"}, "count": 3, "sizeBytes": 9}), merge(second, map[string]any{"followers": []string{}}), merge("users/r3/following/author", map[string]any{"indexId": "00001"})), 2, index, "the capacity is 2"},
		{"an empty array", merge(index, map[string]any{"followers": []string{}}), 1, "users/author/followers/r1", "in no index document"},
		{"an array of numbers", merge(index, map[string]any{"followers": []any{1, "r1", 2}}), 2, index, "not an index document"},
		{"a version that is none", merge(index, map[string]any{"version": "x"}), 2, index, "not an index document"},
		{"an older version", merge(index, map[string]any{"version": 1}), 2, index, "but the document has 1"},
		{"a lost index document and a relation of it missing", all(set(index, map[string]any{"followers": "x"}), gone(relation)), 2, index, "not an index document"},
		{"an id twice in an index document behind a wrong relation", all(
			merge(index, map[string]any{"followers": []string{"r1", "r2", "r2"}, "version": 1, "changes": []any{}}),
			merge(relation, map[string]any{"followers": []string{"r1"}})), 2, index, `holds "r2" twice`},
		{"the first index document missing", gone(index), 2, "users/author", "lists 2 index documents, but 1 exist"},
		{"the latest index document missing", gone(second), 2, "users/author", "lists 2 index documents, but 1 exist"},
		{"both index documents missing", all(gone(index), gone(second)), 2, "users/author", "lists 2 index documents, but 0 exist"},
		{"an index document that is not ours", set("users/author/followers_index/zzz", map[string]any{"followers": []string{"r1", "x"}, "count": 2}), 2, "users/author", "but 3 exist"},
		{"a follower in an index document that is not ours", all(
			set("users/author/followers_index/zzz", map[string]any{"followers": []string{"r3"}, "count": 1, "sizeBytes": 3, "version": 1, "backfilled": true}),
			merge(second, map[string]any{"followers": []string{}, "count": 0, "sizeBytes": 0}),
			merge("users/r3/following/author", map[string]any{"indexId": "zzz"})), 2, "users/author", "but 3 exist"},
		{"an index document far from the others", set("users/author/followers_index/90000", map[string]any{"followers": []string{"r1"}, "count": 1}), 2, "users/author", "but 3 exist"},
		{"a user without a document", gone("users/author"), 2, "users/author", "lists 0 index documents, but 2 exist"},
		{"a relation of a version to come", merge(relation, map[string]any{"indexVersion": 99}), 3, relation, "indexVersion is 99"},
		{"a relation that is none", merge(relation, map[string]any{"followers": 5}), 3, relation, "not a relation"},
		{"a relation of another post", merge(relation, map[string]any{"postId": "p9"}), 3, relation, `post "p9" does not exist`},
		{"a relation without an author", merge(relation, map[string]any{"userId": firestore.Delete}), 3, relation, `is by "", but its post is by "author"`},
		{"a stray relation without an author", set("_relations/stray", map[string]any{"followers": []string{"r1"}, "createdAt": stories.Day, "postId": "ghost"}), 3, "_relations/stray", `post "ghost" does not exist`},
		{"a relation whose author is no string", set("_relations/stray", map[string]any{"userId": 7, "followers": []string{"r1"}, "createdAt": stories.Day, "postId": "ghost"}), 3, "_relations/stray", "not a relation"},
		{"a post by somebody else", merge("posts/p1", map[string]any{"userId": "other"}), 3, relation, `post "p1" does not exist or is not for "author"`},
		{"a job that never ended", set("_functions/job", map[string]any{"state": "running", "kind": "x"}), 4, "_functions/job", "job is running"},
	}
}

// Verify names each damage. Of the author alone, it finds what the author's documents lead to, and of others nothing. One
// repair fixes each finding and changes nothing that clients write. A second repair writes nothing.
func TestVerifyAndRepairOfDamage(t *testing.T) {
	t.Parallel()
	unseen := map[string]bool{ // of the author alone
		"an edge without a follower": true, "an edge of nobody's": true, "an edge without a follower that never went": true,
		"an edge that is none and without a follower": true,
		"a relation of nobody":                        true, "a relation of nobody and no audience": true,
		"a stray relation without an author":   true,
		"a relation whose author is no string": true,
		"a job that never ended":               true,
	}
	for _, c := range damages() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := testkit.SoundApp(t)
			a.Must(a.Client.Doc("users/author").Set(t.Context(), map[string]any{"name": "Ada"}, firestore.MergeAll))
			c.damage(a)
			if found := a.ViolationsOf("author"); (len(found) > 0) == unseen[c.name] {
				t.Errorf("of the author it names %v", found)
			}
			for _, v := range a.ViolationsOf("stranger") {
				t.Errorf("of another it names %v", v)
			}
			repaired := repairOf(a, c)
			if jobs := repaired.After.Jobs; repaired.After.Violations != jobs || jobs > 0 != (c.invariant == 4) || int(jobs) != len(repaired.Left) {
				t.Errorf("after the repair: %+v, %v", repaired.After, repaired.Left)
			}
			a.WantSound()
		})
	}
}

// repairOf wants verify to name a damage, a repair to leave what clients write, and a second repair to write nothing.
func repairOf(a *testkit.App, c damaged) repair.Repaired {
	a.T.Helper()
	found := a.Violations()
	if !slices.ContainsFunc(found, func(v verify.Violation) bool {
		return v.Invariant == c.invariant && v.Document == c.document && strings.Contains(v.Problem, c.problem)
	}) {
		a.T.Errorf("verify does not name %s: %s (invariant %d); it names %v", c.document, c.problem, c.invariant, found)
	}
	clients := clientDocuments(a)
	repaired, _ := a.Repair("")
	if repaired.Before.Violations == 0 {
		a.T.Error("nothing was found")
	}
	if diff := cmp.Diff(clients, clientDocuments(a)); diff != "" {
		a.T.Errorf("documents of clients (-before +after):\n%s", diff)
	}
	if _, used := a.Repair(""); used.Writes+used.Deletes > 0 {
		a.T.Errorf("a second repair costs %v, want no writes", used)
	}
	return repaired
}

// clientDocuments are the documents, and the fields of users, that clients write.
func clientDocuments(a *testkit.App) map[string]map[string]any {
	a.T.Helper()
	found := a.Documents(a.Client.Collection("posts").Query, a.Client.CollectionGroup("followers").Query, a.Client.Collection("users").Query)
	for path, data := range found {
		delete(data, "followers_index")
		delete(data, "latestFollowersIndex")
		if len(data) == 0 && strings.Count(path, "/") == 1 {
			delete(found, path) // a user without a profile is none
		}
	}
	return found
}

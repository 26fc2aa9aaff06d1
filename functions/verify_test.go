package functions_test

import (
	"strings"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/config"
)

// Each case damages one invariant in one document, and verify names it.
func TestVerifyNamesWhatIsDamaged(t *testing.T) {
	t.Parallel()
	update := func(path string, updates ...firestore.Update) func(*app) {
		return func(a *app) { a.must(a.Client.Doc(path).Update(a.t.Context(), updates)) }
	}
	set := func(path string, data map[string]any) func(*app) {
		return func(a *app) { a.must(a.Client.Doc(path).Set(a.t.Context(), data)) }
	}
	remove := func(path string) func(*app) {
		return func(a *app) { a.must(a.Client.Doc(path).Delete(a.t.Context())) }
	}
	const (
		index    = "users/author/followers_index/00001"
		relation = "_relations/p1_00001"
		mirror   = "users/r1/following/author"
	)
	for _, c := range []struct {
		name      string
		damage    func(*app)
		invariant int
		document  string
		problem   string
	}{
		{"a follower without a place", set("users/author/followers/r9", map[string]any{}), 1, "users/author/followers/r9", "in no index document"},
		{"a place without a follower", remove("users/author/followers/r1"), 1, index, `holds "r1", who does not follow`},
		{"a follower in two index documents", update("users/author/followers_index/00002", firestore.Update{Path: "followers", Value: firestore.ArrayUnion("r1")}), 1, "users/author/followers_index/00002", `follower "r1" is in index document 00001 too`},
		{"a follower without a mirror", remove(mirror), 1, mirror, "mirror is missing"},
		{"a mirror without a follower", set("users/r9/following/author", map[string]any{"indexId": "00001"}), 1, "users/r9/following/author", "mirror of a follow that is not there"},
		{"a mirror of nobody's", set("users/r9/following/nobody", map[string]any{"indexId": "00001"}), 1, "users/r9/following/nobody", "mirror of a follow that is not there"},
		{"a mirror that names another index document", update(mirror, firestore.Update{Path: "indexId", Value: "00002"}), 1, mirror, `names index document "00002"`},
		{"a mirror that never went", update(mirror, firestore.Update{Path: "left", Value: []string{"00002"}}), 1, mirror, "not settled"},
		{"a mirror that is none", set(mirror, map[string]any{"indexId": 7}), 1, mirror, "not a mirror"},
		{"a wrong count", update(index, firestore.Update{Path: "count", Value: 7}), 2, index, "count is 7, it holds 2"},
		{"a wrong size", update(index, firestore.Update{Path: "sizeBytes", Value: 7}), 2, index, "sizeBytes is 7"},
		{"an id twice", update(index, firestore.Update{Path: "followers", Value: []string{"r1", "r2", "r2"}}), 2, index, `holds "r2" twice`},
		{"too many ids", update(index, firestore.Update{Path: "followers", Value: []string{"r1", "r2", "x"}}, firestore.Update{Path: "count", Value: 3}), 2, index, "the capacity is 2"},
		{"a document that is no index document", update(index, firestore.Update{Path: "followers", Value: "r1"}), 2, index, "not an index document"},
		{"a change log that lags", update(index, firestore.Update{Path: "version", Value: 99}), 2, index, "newest change has version"},
		{"a backfill that never ended", update(index, firestore.Update{Path: "backfilled", Value: false}), 2, index, "not backfilled"},
		{"a user who does not name an index document", update("users/author", firestore.Update{Path: "followers_index", Value: []string{"00001"}}, firestore.Update{Path: "latestFollowersIndex", Value: "00001"}), 2, "users/author", "names 1 index documents, there are 2"},
		{"a user who names nonsense", update("users/author", firestore.Update{Path: "followers_index", Value: 5}), 2, "users/author", "followers_index is not an array"},
		{"a relation that is missing", remove(relation), 3, relation, "is missing"},
		{"all relations of an author missing", func(a *app) { remove(relation)(a); remove("_relations/p1_00002")(a) }, 3, relation, "is missing"},
		{"a relation of an old version", update(relation, firestore.Update{Path: "indexVersion", Value: 0}), 3, relation, "indexVersion is 0"},
		{"a relation with other followers", update(relation, firestore.Update{Path: "followers", Value: []string{"r1", "x"}}), 3, relation, "are not the index document's"},
		{"a relation with an old copy", update(relation, firestore.Update{Path: "text", Value: "old"}), 3, relation, "copied fields are not the post's"},
		{"a relation with a field too many", update(relation, firestore.Update{Path: "extra", Value: 1}), 3, relation, "copied fields are not the post's"},
		{"a relation of a post that is gone", remove("posts/p1"), 3, relation, `post "p1" is gone`},
		{"a relation of no index document", set("_relations/p1_00009", map[string]any{"postId": "p1", "userId": "author", "indexId": "00009", "createdAt": day}), 3, "_relations/p1_00009", `has no index document "00009"`},
		{"a relation of another author", update(relation, firestore.Update{Path: "userId", Value: "other"}), 3, relation, `gone or not by "other"`},
		{"a relation of nobody", set("_relations/stray", map[string]any{"userId": "nobody"}), 3, "_relations/stray", "gone or not by"},
		{"a relation under a wrong name", set("_relations/wrong", map[string]any{"postId": "p1", "userId": "author", "indexId": "00001"}), 3, "_relations/wrong", "has the post and index document of p1_00001"},
		{"a job that never ended", set("_functions/job", map[string]any{"state": "running", "kind": "x"}), 4, "_functions/job", "job is running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, config.Functions{Capacity: 2, CopiedFields: []string{"text"}})
			for _, r := range []string{"r1", "r2", "r3"} {
				a.follow(r, "author")
				a.idle() // r1 and r2 are in the first index document
			}
			a.post("p1", "author", day)
			a.idle()
			a.wantVerified()
			a.Silence()
			c.damage(a)
			found := a.violations()
			for _, v := range found {
				if v.Invariant == c.invariant && v.Document == c.document && strings.Contains(v.Problem, c.problem) {
					return
				}
			}
			t.Errorf("verify does not name %s: %s (invariant %d); it names %v", c.document, c.problem, c.invariant, found)
		})
	}
}

package coexist_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	module "example.com/relationindex"
	"example.com/relationindex/cmd/relationindex/internal/deploy/coexist"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
)

// mine are the indexes of an app, some of them in our way.
const mine = `// what firebase init wrote
{
  "indexes": [
    { "collectionGroup": "orders", "queryScope": "COLLECTION", "fields": [
      { "fieldPath": "status", "order": "ASCENDING" }, { "fieldPath": "at", "order": "DESCENDING" } ] },
    { "collectionGroup": "notes", "queryScope": "COLLECTION", "fields": [
      { "fieldPath": "embedding", "vectorConfig": { "dimension": 768, "flat": {} } } ] },
    { "collectionGroup": "posts", "queryScope": "COLLECTION", "density": "SPARSE_ALL", "fields": [
      { "fieldPath": "userId", "order": "ASCENDING" }, { "fieldPath": "createdAt", "order": "DESCENDING" }, { "fieldPath": "__name__", "order": "DESCENDING" } ] }
  ],
  "fieldOverrides": [
    { "collectionGroup": "orders", "fieldPath": "raw", "indexes": [] },
    { "collectionGroup": "comments", "fieldPath": "text", "ttl": false, "indexes": [{ "order": "ASCENDING", "queryScope": "COLLECTION" }] },
    { "collectionGroup": "requests", "fieldPath": "followerId", "indexes": [{ "order": "ASCENDING", "queryScope": "COLLECTION" }] },
    { "collectionGroup": "timeline", "fieldPath": "until", "ttl": true, "indexes": [] },
    { "collectionGroup": "_relations", "fieldPath": "followers", "indexes": [{ "arrayConfig": "CONTAINS", "queryScope": "COLLECTION" }] }
  ]
}`

func parsed(t *testing.T, text string) *coexist.Indexes {
	t.Helper()
	x, err := coexist.ParseIndexes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestCompareIndexes(t *testing.T) {
	t.Parallel()
	ours := parsed(t, string(module.FirestoreIndexes))
	c := coexist.Compare(parsed(t, mine), ours)
	if len(c.Composites) != len(ours.File.Indexes)-1 {
		t.Errorf("%d composite indexes are missing, want all but that of posts", len(c.Composites))
	}
	var got []string
	for _, d := range c.Differ {
		kind := "lacks: "
		if d.Serves() {
			kind = "serves: "
		}
		got = append(got, kind+d.String())
	}
	want := []string{
		"serves: _relations.followers: the app has CONTAINS of one collection; relationindex would have no index",
		"lacks: requests.followerId: the app has ASCENDING of one collection; relationindex needs ASCENDING of the collection group",
		"serves: comments.text: the app has ASCENDING of one collection; relationindex would have no index",
		"lacks: timeline.expireAt: a collection id has one time-to-live policy, and timeline has it on until; relationindex needs it on expireAt",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := coexist.Compare(ours, ours); len(again.Composites)+len(again.Overrides)+len(again.Differ) > 0 {
		t.Errorf("of the same it finds %+v", again)
	}
}

// The merged indexes contain everything of the app's and all that ours need. Merged again, they do not change.
func TestMergeIndexes(t *testing.T) {
	t.Parallel()
	ours := parsed(t, string(module.FirestoreIndexes))
	text, err := coexist.Merge(parsed(t, mine), ours)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"dimension": 768`, `"collectionGroup": "orders"`, `"fieldPath": "until"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("it lacks %s", want)
		}
	}
	both := parsed(t, string(text))
	if err := config.CheckIndexFile(schema.Config{}, &both.File); err != nil {
		t.Errorf("what functions need: %v", err)
	}
	c := coexist.Compare(both, ours)
	left := slices.DeleteFunc(c.Differ, coexist.Difference.Serves)
	if len(c.Composites)+len(c.Overrides) > 0 || len(left) != 1 || left[0].OtherTTL != "until" {
		t.Errorf("merged, there is left: %+v", c)
	}
	again, err := coexist.Merge(both, ours)
	if err != nil || string(again) != string(text) {
		t.Errorf("merged again it is another file: %v\n%s", err, cmp.Diff(string(text), string(again)))
	}
}

func TestParseIndexesOfSomethingElse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "no", `{"indexes": 7}`, `{"indexes": [7]}`, `{"mine": []}`, `[]`} {
		if _, err := coexist.ParseIndexes([]byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

package config

import (
	"os"
	"strings"
	"testing"
)

// deployedIndexes is the project's firestore.indexes.json.
func deployedIndexes(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../../firestore.indexes.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The functions do not start with what production would refuse: the error has the variable, its value and the rule.
func TestLoadFunctionsRejects(t *testing.T) {
	const second = `{"collectionGroup":"_relations","queryScope":"COLLECTION","fields":[{"fieldPath":"followers","arrayConfig":"CONTAINS"},{"fieldPath":"userId","order":"ASCENDING"}]},`
	const exemption = `{ "collectionGroup": "followers_index", "fieldPath": "followers", "indexes": [] },`
	const relationExemption = `{ "collectionGroup": "_relations", "fieldPath": "followers", "indexes": [] },`
	for name, test := range map[string]struct {
		variable, value string
		file            func(string) string
		want            []string // all of them; none: it is taken
	}{
		"defaults": {},
		"second index on followers": {"", "", func(s string) string { return strings.Replace(s, `"indexes": [`, `"indexes": [`+second, 1) },
			[]string{"RELATIONINDEX_CAPACITY=10000", "_relations", "20000 in (followers CONTAINS, userId ASCENDING)", "at most 40000", "must be at most 9998"}},
		"second index, smaller capacity": {"CAPACITY", "9000", func(s string) string { return strings.Replace(s, `"indexes": [`, `"indexes": [`+second, 1) }, nil},
		"relations' followers not exempt": {"", "", func(s string) string { return strings.Replace(s, relationExemption, "", 1) },
			[]string{"RELATIONINDEX_CAPACITY=10000", "20000 in (followers CONTAINS)", "20000 in (followers CONTAINS, createdAt DESCENDING)", "at most 40000"}},
		"no relations in the file": {"", "", func(s string) string { return strings.ReplaceAll(s, "_relations", "links") },
			[]string{"no composite index (followers CONTAINS, createdAt DESCENDING) for _relations, which feeds require",
				"no composite index (audience ASCENDING, indexId ASCENDING, indexVersion ASCENDING) for _relations, which follows require"}},
		"another order": {"", "", func(s string) string { return strings.Replace(s, `"DESCENDING"`, `"ASCENDING"`, 1) },
			[]string{"no composite index (followers CONTAINS, createdAt DESCENDING) for _relations", `add to its "indexes": {"collectionGroup":"_relations"`}},
		"no posts in the file": {"", "", func(s string) string { return string(renamed([]byte(s), "posts", "notes")) },
			[]string{"no composite index (userId ASCENDING, createdAt DESCENDING) for posts, which profiles require"}},
		"no users in the file": {"", "", func(s string) string { return string(renamed([]byte(s), "users", "people")) },
			[]string{"does not exempt users.followers_index", "does not exempt users.latestFollowersIndex"}},
		"all fields of posts exempt": {"", "", func(s string) string {
			return strings.Replace(s, `"fieldOverrides": [`, `"fieldOverrides": [{"collectionGroup":"posts","fieldPath":"*","indexes":[]},`, 1)
		}, []string{"no index (to CONTAINS) for posts", "no index (refs CONTAINS) for posts", "no index (userId ASCENDING) for posts", "no index (audience ASCENDING) for posts"}},
		"no index of all requests": {"", "", func(s string) string {
			return strings.Replace(s, `"requests", "fieldPath": "followerId"`, `"wishes", "fieldPath": "followerId"`, 1)
		},
			[]string{"no index (followerId ASCENDING) of the collection group for requests, which the deletion of accounts requires", `{"collectionGroup":"requests","fieldPath":"followerId","indexes":[`, `{"order":"ASCENDING","queryScope":"COLLECTION_GROUP"}]}`}},
		"__name__ at the end": {"", "", func(s string) string {
			return strings.ReplaceAll(s, `"createdAt", "order": "DESCENDING" }`, `"createdAt", "order": "DESCENDING" }, { "fieldPath": "__name__", "order": "DESCENDING" }`)
		}, nil},
		"__name__ at the end, in the other direction": {"", "", func(s string) string {
			return strings.Replace(s, `"createdAt", "order": "DESCENDING" }`, `"createdAt", "order": "DESCENDING" }, { "fieldPath": "__name__", "order": "ASCENDING" }`, 1)
		}, []string{"no composite index (followers CONTAINS, createdAt DESCENDING)"}},
		"posts renamed": {"POSTS", "notes", nil, []string{
			"no composite index (userId ASCENDING, createdAt DESCENDING) for notes, which profiles require",
			`add to its "indexes": {"collectionGroup":"notes","queryScope":"COLLECTION","fields":[{"fieldPath":"userId","order":"ASCENDING"},{"fieldPath":"createdAt","order":"DESCENDING"}]}`}},
		"posts renamed in both": {"POSTS", "notes", func(s string) string { return string(renamed([]byte(s), "posts", "notes")) }, nil},
		"users renamed": {"USERS", "people", nil, []string{
			`firestore.indexes.json does not exempt people.followers_index: add to its "fieldOverrides": {"collectionGroup":"people","fieldPath":"followers_index","indexes":[]}`,
			`{"collectionGroup":"people","fieldPath":"latestFollowersIndex","indexes":[]}`}},
		"users renamed in both":                    {"USERS", "people", func(s string) string { return string(renamed([]byte(s), "users", "people")) }, nil},
		"followers renamed, which have no entries": {"FOLLOWERS", "fans", nil, nil},
		"not an index file":                        {"", "", func(string) string { return `{"indexes": 7}` }, []string{"firestore.indexes.json", "indexes: must be a list"}},
		"index document's followers not exempt, and in a composite": {"", "", func(s string) string {
			s = strings.Replace(s, exemption, "", 1)
			return strings.Replace(s, `"indexes": [`, `"indexes": [`+strings.NewReplacer("_relations", "followers_index", "userId", "version").Replace(second), 1)
		}, []string{"RELATIONINDEX_CAPACITY=10000", "a document of followers_index"}},
	} {
		t.Run(name, func(t *testing.T) {
			unset(t)
			t.Setenv("GOOGLE_CLOUD_PROJECT", "demo-a")
			if test.variable != "" {
				t.Setenv("RELATIONINDEX_"+test.variable, test.value)
			}
			file := deployedIndexes(t)
			if test.file != nil {
				changed := test.file(string(file))
				if changed == string(file) {
					t.Fatal("the change changes nothing")
				}
				file = []byte(changed)
			}
			_, err := LoadFunctions(file)
			if len(test.want) == 0 && err != nil {
				t.Fatalf("refused: %v", err)
			}
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q in it", err, want)
				}
			}
		})
	}
}

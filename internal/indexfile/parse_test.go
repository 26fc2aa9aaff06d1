package indexfile_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/indexfile"
)

func TestParse(t *testing.T) {
	got, err := indexfile.Parse([]byte(`{
	  "indexes": [
	    {"collectionGroup": "a", "queryScope": "COLLECTION_GROUP", "density": "SPARSE_ALL", "fields": [
	      {"fieldPath": "tags", "arrayConfig": "CONTAINS"}, {"fieldPath": "at", "order": "DESCENDING"}]},
	    {"collectionGroup": "a", "fields": [{"fieldPath": "__name__", "order": "DESCENDING"}]}
	  ],
	  "fieldOverrides": [
	    {"collectionGroup": "a", "fieldPath": "expireAt", "ttl": true, "indexes": []},
	    {"collectionGroup": "b", "fieldPath": "expireAt", "ttl": true},
	    {"collectionGroup": "b", "fieldPath": "*", "indexes": [{"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"}, {"arrayConfig": "CONTAINS"}]}
	  ]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &indexfile.File{
		Indexes: []indexfile.Index{
			{Group: "a", Scope: indexfile.CollectionGroup, Fields: []indexfile.Field{{Path: "tags", Mode: indexfile.Contains}, {Path: "at", Mode: indexfile.Descending}}},
			{Group: "a", Scope: indexfile.Collection, Fields: []indexfile.Field{{Path: "__name__", Mode: indexfile.Descending}}},
		},
		Overrides: []indexfile.Override{
			{Group: "a", Path: "expireAt", TTL: true, Indexes: []indexfile.Index{}},
			{Group: "b", Path: "expireAt", TTL: true},
			{Group: "b", Path: "*", Indexes: []indexfile.Index{
				{Group: "b", Scope: indexfile.CollectionGroup, Fields: []indexfile.Field{{Path: "*", Mode: indexfile.Ascending}}},
				{Group: "b", Scope: indexfile.Collection, Fields: []indexfile.Field{{Path: "*", Mode: indexfile.Contains}}},
			}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseNamesThePlace(t *testing.T) {
	const two = `{"fieldPath": "x", "order": "ASCENDING"}, {"fieldPath": "y", "order": "ASCENDING"}`
	index := func(s string) string { return `{"indexes": [` + s + `]}` }
	override := func(s string) string { return `{"fieldOverrides": [` + s + `]}` }
	for text, want := range map[string]string{
		``:                                 "EOF",
		`[]`:                               "must be an object",
		`{} {}`:                            "more than one JSON value",
		`{"index": []}`:                    "index: unknown key",
		`{"indexes": {}}`:                  "indexes: must be a list",
		index(`7`):                         "indexes[0]: must be an object",
		index(`{"fields": [` + two + `]}`): "indexes[0].collectionGroup: must be a string",
		index(`{"collectionGroup": "a", "queryScope": "ALL", "fields": [` + two + `]}`):                                                             `indexes[0].queryScope="ALL": must be COLLECTION or COLLECTION_GROUP`,
		index(`{"collectionGroup": "a", "fields": [` + two + `], "unique": true}`):                                                                  "indexes[0].unique: unknown key",
		index(`{"collectionGroup": "a", "fields": [{"fieldPath": "x", "order": "ASCENDING"}]}`):                                                     "indexes[0].fields: must be two or more",
		index(`{"collectionGroup": "a", "fields": [` + two + `, {"fieldPath": "x", "order": "DESCENDING"}]}`):                                       `indexes[0].fields[2].fieldPath="x": is in the index already`,
		index(`{"collectionGroup": "a", "fields": [` + two + `, {"fieldPath": "z", "order": "UP"}]}`):                                               `indexes[0].fields[2].order="UP": must be ASCENDING or DESCENDING`,
		index(`{"collectionGroup": "a", "fields": [` + two + `, {"fieldPath": "z"}]}`):                                                              "indexes[0].fields[2]: must have either an order or an arrayConfig",
		index(`{"collectionGroup": "a", "fields": [{"fieldPath": "x", "arrayConfig": "CONTAINS"}, {"fieldPath": "y", "arrayConfig": "CONTAINS"}]}`): "indexes[0].fields: may hold one array, not 2",
		index(`{"collectionGroup": "a", "fields": [` + two + `]}, {"collectionGroup": "a", "queryScope": "COLLECTION", "fields": [` + two + `]}`):   "indexes[1]: the same as indexes[0]",
		override(`{"collectionGroup": "a", "fieldPath": "x"}`):                                                                                      "fieldOverrides[0]: must have indexes",
		override(`{"collectionGroup": "a", "fieldPath": "x", "ttl": 1}`):                                                                            "fieldOverrides[0].ttl: must be true or false",
		override(`{"collectionGroup": "a", "fieldPath": "x", "indexes": [{"order": "CONTAINS"}]}`):                                                  `fieldOverrides[0].indexes[0].order="CONTAINS"`,
		override(`{"collectionGroup": "a", "fieldPath": "x", "indexes": []}, {"collectionGroup": "a", "fieldPath": "x", "indexes": []}`):            "fieldOverrides[1]: the same as fieldOverrides[0]",
		override(`{"collectionGroup": "a", "fieldPath": "x", "ttl": true}, {"collectionGroup": "a", "fieldPath": "y", "ttl": true}`):                "fieldOverrides[1].ttl: the same as fieldOverrides[0].ttl",
	} {
		if _, err := indexfile.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v, want %q in it", text, err, want)
		}
	}
}

// An override of a map covers what is inside; one of a field wins over one of its map, and that over "*".
func TestAutomaticIndexes(t *testing.T) {
	file, err := indexfile.Parse([]byte(`{"fieldOverrides": [
	  {"collectionGroup": "a", "fieldPath": "m", "indexes": []},
	  {"collectionGroup": "a", "fieldPath": "m.in", "indexes": [{"order": "DESCENDING"}]},
	  {"collectionGroup": "a", "fieldPath": "kept", "ttl": true},
	  {"collectionGroup": "b", "fieldPath": "*", "indexes": []},
	  {"collectionGroup": "b", "fieldPath": "x", "indexes": [{"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	const automatic = "(%[1]s ASCENDING) (%[1]s DESCENDING) (%[1]s CONTAINS)"
	for _, test := range []struct{ group, path, want string }{
		{"a", "other", strings.ReplaceAll(automatic, "%[1]s", "other")},
		{"a", "kept", strings.ReplaceAll(automatic, "%[1]s", "kept")},
		{"a", "m", ""},
		{"a", "m.x", ""},
		{"a", "m.x.y", ""},
		{"a", "m.in", "(m.in DESCENDING)"},
		{"a", "m.in.x", "(m.in.x DESCENDING)"},
		{"a", "`m.x`", strings.ReplaceAll(automatic, "%[1]s", "`m.x`")},
		{"b", "y", ""},
		{"b", "x", "(x ASCENDING) of the collection group"},
		{"c", "m", strings.ReplaceAll(automatic, "%[1]s", "m")},
	} {
		var got []string
		for _, x := range file.Automatic(test.group, test.path) {
			got = append(got, x.String())
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s.%s: %s, want %s", test.group, test.path, got, test.want)
		}
	}
}

// Every index that Parse accepts can be written to a file that Parse reads back.
func FuzzParse(f *testing.F) {
	deployed, err := os.ReadFile("../../firestore.indexes.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(deployed)
	f.Add([]byte(`{"indexes": [{"collectionGroup": "a", "fields": [{"fieldPath": "__name__", "order": "DESCENDING"}]}]}`))
	f.Add([]byte(`{"fieldOverrides": [{"collectionGroup": "a", "fieldPath": "*", "ttl": true}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := indexfile.Parse(data)
		if (file == nil) == (err == nil) {
			t.Fatalf("%v, %v", file, err)
		}
		if err != nil {
			return
		}
		for _, x := range file.Indexes {
			again, err := indexfile.Parse([]byte(`{"indexes": [` + x.JSON() + `]}`))
			if err != nil {
				t.Fatalf("%s: %v", x.JSON(), err)
			}
			if diff := cmp.Diff([]indexfile.Index{x}, again.Indexes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
}

package clientrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
)

// indexConfig is firestore.indexes.json: of the keys that the Firebase command line knows, those that are used here.
type indexConfig struct {
	Indexes        []composite `json:"indexes"`
	FieldOverrides []override  `json:"fieldOverrides"`
}

type composite struct {
	CollectionGroup string       `json:"collectionGroup"`
	QueryScope      string       `json:"queryScope"`
	Fields          []indexField `json:"fields"`
}

// An indexField has either an order or an arrayConfig.
type indexField struct {
	FieldPath   string `json:"fieldPath"`
	Order       string `json:"order"`       // ASCENDING or DESCENDING
	ArrayConfig string `json:"arrayConfig"` // CONTAINS
}

type override struct {
	CollectionGroup string             `json:"collectionGroup"`
	FieldPath       string             `json:"fieldPath"`
	TTL             bool               `json:"ttl"`
	Indexes         *[]json.RawMessage `json:"indexes"` // nil if the key is missing
}

// field is a field of every document in the collections of one id.
type field struct{ collectionGroup, path string }

func (f field) String() string { return f.collectionGroup + "." + f.path }

// arrays are the fields that hold arrays: each element costs index entries.
var arrays = []field{
	{"_relations", "followers"},
	{"followers_index", "followers"},
	{"followers_index", "changes"},
	{"users", "followers_index"},
}

// queriedAlone are the fields that a query asks for by their automatic index; see the package comment.
var queriedAlone = []field{
	{"_relations", "userId"},
	{"posts", "userId"},
	{"_functions", "state"},
	{"_functions", "wakeAt"},
	{"_functions", "updatedAt"},
}

// decodeFile reads a JSON file that holds nothing that v does not have.
func decodeFile(t *testing.T, name string, v any) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // only read
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("decode %s: %v", name, err)
	}
	if err := d.Decode(new(json.RawMessage)); !errors.Is(err, io.EOF) {
		t.Fatalf("decode %s: more than one value (%v)", name, err)
	}
}

func readIndexes(t *testing.T) indexConfig {
	t.Helper()
	var c indexConfig
	decodeFile(t, indexesFile, &c)
	if len(c.Indexes) == 0 || len(c.FieldOverrides) == 0 {
		t.Fatalf("%s: %d indexes and %d field overrides, want some of both", indexesFile, len(c.Indexes), len(c.FieldOverrides))
	}
	return c
}

func TestCompositesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, x := range readIndexes(t).Indexes {
		if x.CollectionGroup == "" || x.QueryScope != "COLLECTION" {
			t.Errorf("%+v: want a collection group and the scope COLLECTION", x)
		}
		if len(x.Fields) < 2 {
			t.Errorf("%+v: a composite has two fields or more", x)
		}
		for _, f := range x.Fields {
			ordered := f.ArrayConfig == "" && (f.Order == "ASCENDING" || f.Order == "DESCENDING")
			contains := f.ArrayConfig == "CONTAINS" && f.Order == ""
			if f.FieldPath == "" || ordered == contains {
				t.Errorf("%s: %+v: want a path, and an order or CONTAINS", x.CollectionGroup, f)
			}
		}
		if key := fmt.Sprint(x); seen[key] {
			t.Errorf("twice: %+v", x)
		} else {
			seen[key] = true
		}
	}
}

func TestOverridesExempt(t *testing.T) {
	seen := map[field]bool{}
	ttl := map[string]string{}
	for _, o := range readIndexes(t).FieldOverrides {
		f := field{o.CollectionGroup, o.FieldPath}
		if f.collectionGroup == "" || f.path == "" {
			t.Errorf("%+v: want a collection group and a field path", o)
		}
		if o.Indexes == nil || len(*o.Indexes) != 0 {
			t.Errorf(`%s: want "indexes": []`, f)
		}
		if seen[f] {
			t.Errorf("%s: twice", f)
		}
		seen[f] = true
		if !o.TTL {
			continue
		}
		if other, ok := ttl[f.collectionGroup]; ok {
			t.Errorf("%s: %s has a TTL already; a collection group has one", f, other)
		}
		ttl[f.collectionGroup] = f.path
	}
	if ttl["_functions"] != "expireAt" {
		t.Errorf("TTL of _functions is on %q, want expireAt", ttl["_functions"])
	}
}

func TestNoCompositeHoldsTwoArrays(t *testing.T) {
	for _, x := range readIndexes(t).Indexes {
		held := slices.DeleteFunc(slices.Clone(x.Fields), func(f indexField) bool {
			return f.ArrayConfig == "" && !slices.Contains(arrays, field{x.CollectionGroup, f.FieldPath})
		})
		if len(held) > 1 {
			t.Errorf("%s: %+v: Firestore refuses a composite of two arrays", x.CollectionGroup, held)
		}
	}
}

// Up to two entries for an element, 10,000 elements, 40,000 entries a document: one index for an array.
func TestArraysAreInAtMostOneIndex(t *testing.T) {
	c := readIndexes(t)
	composites := map[field]int{}
	for _, x := range c.Indexes {
		for _, f := range x.Fields {
			at := field{x.CollectionGroup, f.FieldPath}
			composites[at]++
			if f.ArrayConfig != "" && !slices.Contains(arrays, at) {
				t.Errorf("%s: CONTAINS, but the list of array fields does not have it", at)
			}
		}
	}
	for _, a := range arrays {
		exempt := slices.ContainsFunc(c.FieldOverrides, func(o override) bool {
			return a == field{o.CollectionGroup, o.FieldPath}
		})
		if !exempt {
			t.Errorf("%s: want an exemption from automatic indexes", a)
		}
		if n := composites[a]; n > 1 {
			t.Errorf("%s: in %d composites, want one at most", a, n)
		}
	}
}

func TestQueriedFieldsKeepTheirAutomaticIndex(t *testing.T) {
	overrides := readIndexes(t).FieldOverrides
	for _, q := range queriedAlone {
		for _, o := range overrides {
			if o.CollectionGroup == q.collectionGroup && (o.FieldPath == q.path || o.FieldPath == "*") {
				t.Errorf("%s: exempted by %q, but queried", q, o.FieldPath)
			}
		}
	}
}

package estimate

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"example.com/relationindex/schema"
)

// The model indexes what firestore.indexes.json leaves indexed, and nothing else.
func TestModelHasTheIndexesOfTheProject(t *testing.T) {
	text, err := os.ReadFile("../../firestore.indexes.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Indexes []struct {
			CollectionGroup string
			Fields          []struct{ FieldPath, ArrayConfig string }
		}
		FieldOverrides []struct {
			CollectionGroup, FieldPath string
			Indexes                    []any
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	exempt := map[string]bool{}
	for _, o := range file.FieldOverrides {
		exempt[o.CollectionGroup+"."+o.FieldPath] = len(o.Indexes) == 0
	}
	composites := map[string]int{}
	for _, i := range file.Indexes {
		composites[i.CollectionGroup]++
	}
	in := Defaults(10_000)
	items, days := in, in
	items.Layout, days.Layout = schema.LayoutItems, schema.LayoutDays
	for group, d := range map[string]stored{
		"_relations": in.relation(1), "followers_index": in.indexDocument(), "following": in.edge(),
		"followers": in.followerDocument(), "posts": in.postDocument(),
		"timeline": in.timelineDocument(1), "timeline of items": items.timelineDocument(1), "timeline of days": days.timelineDocument(1),
	} {
		group, _, _ = strings.Cut(group, " ")
		for _, a := range d.arrays {
			d.fields = append(d.fields, field{a.name, 0, true})
		}
		for _, f := range d.fields {
			if f.name != "text" && f.indexed == exempt[group+"."+f.name] {
				t.Errorf("%s.%s: the model has it indexed %v, firestore.indexes.json exempted %v", group, f.name, f.indexed, exempt[group+"."+f.name])
			}
		}
		if len(d.composites) != composites[group] {
			t.Errorf("%s: the model has %d composite indexes, firestore.indexes.json %d", group, len(d.composites), composites[group])
		}
	}
}

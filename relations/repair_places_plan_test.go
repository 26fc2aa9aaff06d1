package relations

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPlanPlaces(t *testing.T) {
	opts := Options{Capacity: 2}.withDefaults()
	holds := func(ids ...string) IndexDocument { return IndexDocument{Followers: ids, Version: 1} }
	closing := func(ids ...string) IndexDocument { return IndexDocument{Followers: ids, Version: 1, closing: true} }
	moving := func(id, from, to string) follow {
		f := stays(id, from)
		f.mirror.MovesTo = to
		return f
	}
	type places struct {
		Documents map[string][2][]string // index → added, removed
		Mirrors   map[string]string      // follower → index
		Gone      []string
		Homeless  []string
	}
	for _, c := range []struct {
		name      string
		follows   []follow
		documents map[string]IndexDocument
		want      places
	}{
		{"nothing is wrong", []follow{stays("a", "00001"), {id: "b"}}, map[string]IndexDocument{"00001": holds("a")}, places{}},
		{"who does not follow goes everywhere", []follow{leaves("a", "00001")}, map[string]IndexDocument{"00001": holds("a", "b"), "00002": holds("a")},
			places{Documents: map[string][2][]string{"00001": {nil, {"a"}}, "00002": {nil, {"a"}}}, Gone: []string{"a"}}},
		{"of two places the mirror's stays", []follow{stays("a", "00002")}, map[string]IndexDocument{"00001": holds("a"), "00002": holds("a")},
			places{Documents: map[string][2][]string{"00001": {nil, {"a"}}}, Mirrors: map[string]string{"a": "00002"}}}, // which says that it has left 00001
		{"of two places without a mirror the first stays", []follow{joins("a")}, map[string]IndexDocument{"00001": holds("a"), "00002": holds("a")},
			places{Documents: map[string][2][]string{"00002": {nil, {"a"}}}, Mirrors: map[string]string{"a": "00001"}}},
		{"a mirror is told the true place", []follow{stays("a", "00002")}, map[string]IndexDocument{"00001": holds("a"), "00002": holds("b")},
			places{Mirrors: map[string]string{"a": "00001"}}},
		{"a lost place is given back", []follow{stays("a", "00001")}, map[string]IndexDocument{"00001": holds("b")},
			places{Documents: map[string][2][]string{"00001": {{"a"}, nil}}}},
		{"a lost place that was taken is not", []follow{stays("a", "00001")}, map[string]IndexDocument{"00001": holds("b", "c")},
			places{Mirrors: map[string]string{"a": ""}, Homeless: []string{"a"}}},
		{"a place in a document that is gone is lost", []follow{stays("a", "00009")}, nil,
			places{Mirrors: map[string]string{"a": ""}, Homeless: []string{"a"}}},
		{"nobody knows of a place", []follow{joins("a")}, nil, places{Homeless: []string{"a"}}},
		{"one too many loses the place", []follow{stays("b", "00001"), stays("c", "00001")}, map[string]IndexDocument{"00001": holds("a", "b", "c")},
			places{Documents: map[string][2][]string{"00001": {nil, {"b"}}}, Mirrors: map[string]string{"b": ""}, Homeless: []string{"b"}}},
		{"who is moved leaves a document that is closing", []follow{moving("a", "00002", "00001")}, map[string]IndexDocument{"00001": holds("a", "b"), "00002": closing("a")},
			places{Documents: map[string][2][]string{"00002": {nil, {"a"}}}, Mirrors: map[string]string{"a": "00001"}}},
		{"unless that is the last that holds them", []follow{moving("a", "00002", "00001"), stays("b", "00002")},
			map[string]IndexDocument{"00001": holds("c"), "00002": closing("a", "b")}, places{Mirrors: map[string]string{"a": "00002"}}},
		{"and with a mirror that made no sense", []follow{{id: "a", since: since, mirror: new(Mirror)}}, map[string]IndexDocument{"00002": closing("a")},
			places{Mirrors: map[string]string{"a": "00002"}}},
		{"who would have been moved stays", []follow{moving("a", "00002", "00001")}, map[string]IndexDocument{"00001": holds("a", "b"), "00002": holds("a")},
			places{Documents: map[string][2][]string{"00001": {nil, {"a"}}}, Mirrors: map[string]string{"a": "00002"}}},
		{"unless one who does not follow makes room", []follow{stays("b", "00001"), {id: "c"}}, map[string]IndexDocument{"00001": holds("a", "b", "c")},
			places{Documents: map[string][2][]string{"00001": {nil, {"c"}}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := range c.follows { // as written
				if m := c.follows[n].mirror; m != nil {
					m.CreatedAt = since
				}
			}
			plan := planPlaces(c.follows, c.documents, opts)
			got := places{Gone: plan.gone, Homeless: plan.homeless}
			for _, d := range plan.documents {
				if got.Documents == nil {
					got.Documents = map[string][2][]string{}
				}
				got.Documents[d.id] = [2][]string{d.add, d.remove}
			}
			for f, m := range plan.mirrors {
				if got.Mirrors == nil {
					got.Mirrors = map[string]string{}
				}
				got.Mirrors[f] = m.IndexID
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever was there, afterwards everyone who follows has one place, named by
// the mirror, or is homeless without any; nobody else has one; what the
// documents say of themselves is right; and there is nothing to do again.
func TestPlanPlacesOfAnything(t *testing.T) {
	opts := Options{Capacity: 3}.withDefaults()
	indexes := []string{"", "00001", "00002", "00003"}
	rapid.Check(t, func(t *rapid.T) {
		documents := map[string]IndexDocument{}
		for _, id := range indexes[1:] {
			held := rapid.SliceOfDistinct(rapid.IntRange(0, 7), rapid.ID[int]).Draw(t, id)
			doc := IndexDocument{Version: 5}
			for _, n := range held {
				doc.Followers = append(doc.Followers, fmt.Sprint("f", n))
			}
			if rapid.Bool().Draw(t, id+" is there") {
				doc.closing = rapid.IntRange(0, 3).Draw(t, id+" is closing") == 0
				documents[id] = doc
			}
		}
		before := maps.Clone(documents)
		var follows []follow
		for n := range 8 {
			f := follow{id: fmt.Sprint("f", n)}
			if rapid.Bool().Draw(t, "follows") {
				f.since = since
			}
			if rapid.Bool().Draw(t, "has a mirror") {
				f.mirror = &Mirror{CreatedAt: since, IndexID: rapid.SampledFrom(indexes).Draw(t, "mirror")}
				if f.placed() {
					f.mirror.MovesTo = rapid.SampledFrom(indexes).Draw(t, "moves to")
				}
			}
			follows = append(follows, f)
		}
		plan := planPlaces(follows, documents, opts)

		for _, c := range plan.documents {
			doc := c.after
			doc.Followers = slices.DeleteFunc(slices.Clone(documents[c.id].Followers), func(f string) bool { return slices.Contains(c.remove, f) })
			doc.Followers = append(doc.Followers, c.add...)
			documents[c.id] = doc
			if followers, size := distinct(doc.Followers); doc.Count != len(followers) || doc.SizeBytes != size || doc.Count != len(doc.Followers) ||
				doc.Count > opts.Capacity && !doc.closing || doc.Version != 6 {
				t.Fatalf("index document %s is %+v", c.id, doc)
			}
		}
		for n := range follows {
			f := &follows[n]
			if m, ok := plan.mirrors[f.id]; ok {
				f.mirror = &m
			}
			if slices.Contains(plan.gone, f.id) {
				f.mirror = nil
			}
			var places []string
			for _, id := range slices.Sorted(maps.Keys(documents)) {
				if slices.Contains(documents[id].Followers, f.id) {
					places = append(places, id)
				}
			}
			closing, elsewhere := false, false // was held by one that is closing, by another that has room
			for _, doc := range before {
				if slices.Contains(doc.Followers, f.id) {
					closing, elsewhere = closing || doc.closing, elsewhere || !doc.closing && len(doc.Followers) <= opts.Capacity
				}
			}
			homeless := slices.Contains(plan.homeless, f.id)
			switch {
			case f.since.IsZero() && (f.mirror != nil || len(places) > 0 || homeless),
				homeless && (len(places) > 0 || f.placed()),
				!f.since.IsZero() && !homeless && (len(places) != 1 || f.mirror == nil || f.mirror.IndexID != places[0]),
				f.mirror != nil && f.mirror.MovesTo != "",
				homeless && closing, elsewhere && len(places) > 0 && documents[places[0]].closing:
				t.Fatalf("%+v with mirror %+v is in %v, homeless: %v", *f, f.mirror, places, homeless)
			}
		}
		again := planPlaces(follows, documents, opts)
		if len(again.documents)+len(again.mirrors)+len(again.gone) > 0 {
			t.Fatalf("again there is %+v to do", again)
		}
	})
}

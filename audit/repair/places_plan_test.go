package repair

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/relationindex/followers"
	"example.com/relationindex/schema"
)

var since = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func joins(id string) followers.State { return followers.State{ID: id, Since: since} }

func leaves(id, index string) followers.State {
	return followers.State{ID: id, Edge: &schema.Edge{IndexID: index}}
}

func stays(id, index string) followers.State {
	return followers.State{ID: id, Since: since, Edge: &schema.Edge{IndexID: index}}
}

func TestPlanPlaces(t *testing.T) {
	opts := schema.Config{Capacity: 2}.WithDefaults()
	holds := func(ids ...string) schema.IndexDocument { return schema.IndexDocument{Followers: ids, Version: 1} }
	closing := func(ids ...string) schema.IndexDocument {
		return schema.IndexDocument{Followers: ids, Version: 1, Closing: true}
	}
	moving := func(id, from, to string) followers.State {
		f := stays(id, from)
		f.Edge.MovesTo = to
		return f
	}
	type places struct {
		Documents map[string][2][]string // index → added, removed
		Edges     map[string]string      // follower → index
		Gone      []string
		Homeless  []string
	}
	for _, c := range []struct {
		name      string
		follows   []followers.State
		documents map[string]schema.IndexDocument
		want      places
	}{
		{"nothing is wrong", []followers.State{stays("a", "00001"), {ID: "b"}}, map[string]schema.IndexDocument{"00001": holds("a")}, places{}},
		{"who does not follow goes everywhere", []followers.State{leaves("a", "00001")}, map[string]schema.IndexDocument{"00001": holds("a", "b"), "00002": holds("a")},
			places{Documents: map[string][2][]string{"00001": {nil, {"a"}}, "00002": {nil, {"a"}}}, Gone: []string{"a"}}},
		{"of two places the edge's stays", []followers.State{stays("a", "00002")}, map[string]schema.IndexDocument{"00001": holds("a"), "00002": holds("a")},
			places{Documents: map[string][2][]string{"00001": {nil, {"a"}}}, Edges: map[string]string{"a": "00002"}}}, // which says that it has left 00001
		{"of two places without an edge the first stays", []followers.State{joins("a")}, map[string]schema.IndexDocument{"00001": holds("a"), "00002": holds("a")},
			places{Documents: map[string][2][]string{"00002": {nil, {"a"}}}, Edges: map[string]string{"a": "00001"}}},
		{"an edge is told the true place", []followers.State{stays("a", "00002")}, map[string]schema.IndexDocument{"00001": holds("a"), "00002": holds("b")},
			places{Edges: map[string]string{"a": "00001"}}},
		{"a lost place is given back", []followers.State{stays("a", "00001")}, map[string]schema.IndexDocument{"00001": holds("b")},
			places{Documents: map[string][2][]string{"00001": {{"a"}, nil}}}},
		{"a lost place that was taken is not", []followers.State{stays("a", "00001")}, map[string]schema.IndexDocument{"00001": holds("b", "c")},
			places{Edges: map[string]string{"a": ""}, Homeless: []string{"a"}}},
		{"a place in a document that is gone is lost", []followers.State{stays("a", "00009")}, nil,
			places{Edges: map[string]string{"a": ""}, Homeless: []string{"a"}}},
		{"nobody knows of a place", []followers.State{joins("a")}, nil, places{Homeless: []string{"a"}}},
		{"one too many loses the place", []followers.State{stays("b", "00001"), stays("c", "00001")}, map[string]schema.IndexDocument{"00001": holds("a", "b", "c")},
			places{Documents: map[string][2][]string{"00001": {nil, {"b"}}}, Edges: map[string]string{"b": ""}, Homeless: []string{"b"}}},
		{"who is moved leaves a document that is closing", []followers.State{moving("a", "00002", "00001")}, map[string]schema.IndexDocument{"00001": holds("a", "b"), "00002": closing("a")},
			places{Documents: map[string][2][]string{"00002": {nil, {"a"}}}, Edges: map[string]string{"a": "00001"}}},
		{"unless that is the last that holds them", []followers.State{moving("a", "00002", "00001"), stays("b", "00002")},
			map[string]schema.IndexDocument{"00001": holds("c"), "00002": closing("a", "b")}, places{Edges: map[string]string{"a": "00002"}}},
		{"and with an edge that made no sense", []followers.State{{ID: "a", Since: since, Edge: new(schema.Edge)}}, map[string]schema.IndexDocument{"00002": closing("a")},
			places{Edges: map[string]string{"a": "00002"}}},
		{"who would have been moved stays", []followers.State{moving("a", "00002", "00001")}, map[string]schema.IndexDocument{"00001": holds("a", "b"), "00002": holds("a")},
			places{Documents: map[string][2][]string{"00001": {nil, {"a"}}}, Edges: map[string]string{"a": "00002"}}},
		{"unless one who does not follow makes room", []followers.State{stays("b", "00001"), {ID: "c"}}, map[string]schema.IndexDocument{"00001": holds("a", "b", "c")},
			places{Documents: map[string][2][]string{"00001": {nil, {"c"}}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := range c.follows { // as written
				if m := c.follows[n].Edge; m != nil {
					m.CreatedAt = since
				}
			}
			plan := planPlaces(c.follows, c.documents, opts)
			got := places{Gone: plan.gone, Homeless: plan.homeless}
			for _, d := range plan.documents {
				if got.Documents == nil {
					got.Documents = map[string][2][]string{}
				}
				got.Documents[d.ID] = [2][]string{d.Add, d.Remove}
			}
			for f, m := range plan.edges {
				if got.Edges == nil {
					got.Edges = map[string]string{}
				}
				got.Edges[f] = m.IndexID
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// For any documents, each follower then has one place, named by the edge, or is homeless
// without a place. Nobody else has one, the documents' counts are right, and a second
// plan is empty.
func TestPlanPlacesOfAnyDocuments(t *testing.T) {
	opts := schema.Config{Capacity: 3}.WithDefaults()
	indexes := []string{"", "00001", "00002", "00003"}
	rapid.Check(t, func(t *rapid.T) {
		documents := map[string]schema.IndexDocument{}
		for _, id := range indexes[1:] {
			held := rapid.SliceOfDistinct(rapid.IntRange(0, 7), rapid.ID[int]).Draw(t, id)
			doc := schema.IndexDocument{Version: 5}
			for _, n := range held {
				doc.Followers = append(doc.Followers, fmt.Sprint("f", n))
			}
			if rapid.Bool().Draw(t, id+" is there") {
				doc.Closing = rapid.IntRange(0, 3).Draw(t, id+" is closing") == 0
				documents[id] = doc
			}
		}
		before := maps.Clone(documents)
		var follows []followers.State
		for n := range 8 {
			f := followers.State{ID: fmt.Sprint("f", n)}
			if rapid.Bool().Draw(t, "follows") {
				f.Since = since
			}
			if rapid.Bool().Draw(t, "has an edge") {
				f.Edge = &schema.Edge{CreatedAt: since, IndexID: rapid.SampledFrom(indexes).Draw(t, "edge")}
				if f.Placed() {
					f.Edge.MovesTo = rapid.SampledFrom(indexes).Draw(t, "moves to")
				}
			}
			follows = append(follows, f)
		}
		plan := planPlaces(follows, documents, opts)

		for _, c := range plan.documents {
			doc := c.After
			doc.Followers = slices.DeleteFunc(slices.Clone(documents[c.ID].Followers), func(f string) bool { return slices.Contains(c.Remove, f) })
			doc.Followers = append(doc.Followers, c.Add...)
			documents[c.ID] = doc
			if followers, size := schema.DistinctIDs(doc.Followers); doc.Count != len(followers) || doc.SizeBytes != size || doc.Count != len(doc.Followers) ||
				doc.Count > opts.Capacity && !doc.Closing || doc.Version != 6 {
				t.Fatalf("index document %s is %+v", c.ID, doc)
			}
		}
		for n := range follows {
			f := &follows[n]
			if m, ok := plan.edges[f.ID]; ok {
				f.Edge = &m
			}
			if slices.Contains(plan.gone, f.ID) {
				f.Edge = nil
			}
			var places []string
			for _, id := range slices.Sorted(maps.Keys(documents)) {
				if slices.Contains(documents[id].Followers, f.ID) {
					places = append(places, id)
				}
			}
			closing, elsewhere := false, false // was held by one that is closing, by another that has room
			for _, doc := range before {
				if slices.Contains(doc.Followers, f.ID) {
					closing, elsewhere = closing || doc.Closing, elsewhere || !doc.Closing && len(doc.Followers) <= opts.Capacity
				}
			}
			homeless := slices.Contains(plan.homeless, f.ID)
			switch {
			case f.Since.IsZero() && (f.Edge != nil || len(places) > 0 || homeless),
				homeless && (len(places) > 0 || f.Placed()),
				!f.Since.IsZero() && !homeless && (len(places) != 1 || f.Edge == nil || f.Edge.IndexID != places[0]),
				f.Edge != nil && f.Edge.MovesTo != "",
				homeless && closing, elsewhere && len(places) > 0 && documents[places[0]].Closing:
				t.Fatalf("%+v with edge %+v is in %v, homeless: %v", *f, f.Edge, places, homeless)
			}
		}
		again := planPlaces(follows, documents, opts)
		if len(again.documents)+len(again.edges)+len(again.gone) > 0 {
			t.Fatalf("again there is %+v to do", again)
		}
	})
}

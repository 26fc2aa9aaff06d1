package internal_test

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/relationindex/internal/numbered"
)

var capacity = numbered.Capacity{Items: 4, Bytes: 20}

func TestRoom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fill       numbered.Fill
		room, half bool // for 5 bytes
	}{
		"empty":               {numbered.Fill{}, true, true},
		"half full":           {numbered.Fill{Items: 2, Bytes: 10}, true, true},
		"more items":          {numbered.Fill{Items: 3, Bytes: 3}, true, false},
		"more bytes":          {numbered.Fill{Items: 1, Bytes: 11}, true, false},
		"the last bytes":      {numbered.Fill{Items: 1, Bytes: 15}, true, false},
		"too few bytes":       {numbered.Fill{Items: 1, Bytes: 16}, false, false},
		"full":                {numbered.Fill{Items: 4, Bytes: 4}, false, false},
		"closed":              {numbered.Fill{Closed: true}, false, false},
		"a negative count":    {numbered.Fill{Items: -1}, false, false},
		"negative bytes":      {numbered.Fill{Bytes: -1}, false, false},
		"more than it may be": {numbered.Fill{Items: 9, Bytes: 90}, false, false},
	} {
		if room, half := capacity.HasRoom(c.fill, 5), capacity.HalfEmpty(c.fill); room != c.room || half != c.half {
			t.Errorf("%s: room is %t, half empty is %t; want %t, %t", name, room, half, c.room, c.half)
		}
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	full := numbered.Fill{Items: 4, Bytes: 4}
	for name, c := range map[string]struct {
		documents int // the last is current
		fills     map[string]numbered.Fill
		bytes     []int
		want      []string // where each item goes
		current   string
		ids       int
	}{
		"the first opens a document":           {0, nil, []int{1}, []string{"1"}, "1", 1},
		"more items than a document holds":     {0, nil, []int{1, 1, 1, 1, 1}, []string{"1", "1", "1", "1", "2"}, "2", 2},
		"more bytes than a document holds":     {0, nil, []int{12, 8, 12}, []string{"1", "1", "2"}, "2", 2},
		"an item larger than a document":       {1, map[string]numbered.Fill{"1": {}}, []int{30}, []string{"2"}, "2", 2},
		"the current one, while it has room":   {2, map[string]numbered.Fill{"1": {}, "2": {Items: 3, Bytes: 3}}, []int{1}, []string{"2"}, "2", 2},
		"then the first that is half empty":    {3, map[string]numbered.Fill{"1": {Items: 3}, "2": {Items: 2}, "3": full}, []int{1, 1, 1}, []string{"2", "2", "4"}, "4", 4},
		"a half empty one without room for it": {2, map[string]numbered.Fill{"1": {Bytes: 9}, "2": full}, []int{12}, []string{"3"}, "3", 3},
		"none that is not known":               {2, map[string]numbered.Fill{"2": full}, []int{1}, []string{"3"}, "3", 3},
		"none that is closed":                  {2, map[string]numbered.Fill{"1": {Closed: true}, "2": {Closed: true}}, []int{1}, []string{"3"}, "3", 3},
		"the current one is not known":         {2, map[string]numbered.Fill{"1": {}}, []int{1}, []string{"1"}, "1", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sequence(c.documents, c.fills)
			var got []string
			for _, bytes := range c.bytes {
				before := len(s.IDs)
				id, opened := s.Add(bytes)
				if opened != (len(s.IDs) > before) {
					t.Errorf("opened is %t with %d documents after %d", opened, len(s.IDs), before)
				}
				got = append(got, id)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("the items go to (-want +got):\n%s", diff)
			}
			if s.Current != c.current || len(s.IDs) != c.ids {
				t.Errorf("%s is current of %q, want %s of %d", s.Current, s.IDs, c.current, c.ids)
			}
		})
	}
}

// Any sequence of additions and removals stays within the capacity, with exact fills.
func TestFillsStayWithinCapacity(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := sequence(0, nil)
		type item struct {
			document string
			bytes    int
		}
		var items []item
		want := map[string]numbered.Fill{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(items) > 0 && rapid.Bool().Draw(t, "remove") {
				n := rapid.IntRange(0, len(items)-1).Draw(t, "item")
				i := items[n]
				s.Remove(i.document, i.bytes)
				want[i.document] = numbered.Fill{Items: want[i.document].Items - 1, Bytes: want[i.document].Bytes - i.bytes}
				items = slices.Delete(items, n, n+1)
				continue
			}
			bytes := rapid.IntRange(0, capacity.Bytes).Draw(t, "bytes")
			id, _ := s.Add(bytes)
			items = append(items, item{id, bytes})
			want[id] = numbered.Fill{Items: want[id].Items + 1, Bytes: want[id].Bytes + bytes}
			if want[id].Items > capacity.Items || want[id].Bytes > capacity.Bytes || s.Current != id {
				t.Fatalf("%s holds %+v, and %s is current", id, want[id], s.Current)
			}
		}
		if diff := cmp.Diff(want, s.Fills); diff != "" {
			t.Fatalf("fills (-want +got):\n%s", diff)
		}
		if len(s.IDs) != len(s.Fills) || s.IDs[len(s.IDs)-1] != strconv.Itoa(len(s.IDs)) {
			t.Fatalf("documents are %q", s.IDs)
		}
	})
}

func sequence(documents int, fills map[string]numbered.Fill) *numbered.Sequence {
	s := &numbered.Sequence{Capacity: capacity, ID: strconv.Itoa, Fills: map[string]numbered.Fill{}}
	maps.Copy(s.Fills, fills)
	for n := range documents {
		s.Current = strconv.Itoa(n + 1)
		s.IDs = append(s.IDs, s.Current)
	}
	return s
}

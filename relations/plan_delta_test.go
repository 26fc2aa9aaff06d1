package relations_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/relationindex/followers"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

func TestDelta(t *testing.T) {
	log := []schema.Change{
		{Version: 3, Add: []string{"a", "b"}},
		{Version: 4, Remove: []string{"a"}},
		{Version: 5, Add: []string{"a", "c"}, Remove: []string{"b"}},
	}
	for _, c := range []struct {
		name        string
		from, to    int64
		add, remove []string
		ok          bool
	}{
		{"nothing to do", 5, 5, nil, nil, true},
		{"ahead of the document", 6, 5, nil, nil, true},
		{"the last change", 4, 5, []string{"a", "c"}, []string{"b"}, true},
		{"an id that went and came back is added", 3, 5, []string{"a", "c"}, []string{"b"}, true},
		{"all of the log", 2, 5, []string{"a", "c"}, []string{"b"}, true},
		{"further back than the log", 1, 5, nil, nil, false},
		{"further on than the log", 4, 6, nil, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			add, remove, ok := plan.Delta(log, c.from, c.to)
			if ok != c.ok || !cmp.Equal(add, c.add) || !cmp.Equal(remove, c.remove) {
				t.Errorf("delta(%d, %d) = %v, %v, %v; want %v, %v, %v", c.from, c.to, add, remove, ok, c.add, c.remove, c.ok)
			}
		})
	}
	if _, _, ok := plan.Delta([]schema.Change{{Version: 3}, {Version: 5}}, 2, 5); ok {
		t.Error("a log with a gap is taken for whole")
	}
	if _, _, ok := plan.Delta(nil, 1, 2); ok {
		t.Error("an empty log is taken for whole")
	}
}

// Whatever changes a document went through, a copy of any version that the log
// reaches becomes the document by its delta.
func TestDeltaLeadsFromAnyVersionToTheLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := map[string]bool{}
		states := []map[string]bool{{}}
		var log []schema.Change
		budget := rapid.IntRange(40, 2000).Draw(t, "budget")
		for version := range rapid.IntRange(1, 30).Draw(t, "versions") {
			c := schema.Change{Version: int64(version + 1)}
			for id := range rapid.MapOfN(rapid.StringMatching(`[a-h]`), rapid.Bool(), 1, 5).Draw(t, "touched") {
				if now[id] {
					c.Remove = append(c.Remove, id)
					delete(now, id)
				} else {
					c.Add = append(c.Add, id)
					now[id] = true
				}
			}
			log = followers.AppendChange(log, c, budget)
			states = append(states, maps.Clone(now))
		}
		size := 0
		for _, c := range log {
			size += c.Bytes()
		}
		if size > budget {
			t.Fatalf("the log has %d bytes, its budget is %d", size, budget)
		}
		last := int64(len(states) - 1)
		for from, state := range states {
			add, remove, ok := plan.Delta(log, int64(from), last)
			if reaches := int64(from) == last || len(log) > 0 && log[0].Version <= int64(from)+1; ok != reaches {
				t.Fatalf("from version %d: ok is %v, the log reaches: %v", from, ok, reaches)
			}
			if !ok {
				continue
			}
			got := maps.Clone(state)
			for _, id := range remove {
				delete(got, id)
			}
			for _, id := range add {
				got[id] = true
			}
			if !maps.Equal(got, now) {
				t.Fatalf("from version %d: %v, want %v", from, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(now)))
			}
		}
	})
}

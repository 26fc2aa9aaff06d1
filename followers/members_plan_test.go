package followers

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/relationindex/schema"
)

var since = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func joins(id string) State         { return State{ID: id, Since: since} }
func leaves(id, index string) State { return State{ID: id, Edge: &schema.Edge{IndexID: index}} }
func stays(id, index string) State {
	return State{ID: id, Since: since, Edge: &schema.Edge{IndexID: index}}
}
func returns(id, index string) State {
	return State{ID: id, Since: since, Edge: &schema.Edge{Left: []string{index}}}
}

// upTo names n index documents, the last of them current.
func upTo(n int) Directory {
	var dir Directory
	for i := range n {
		dir.Current = schema.IndexID(i + 1)
		dir.IDs = append(dir.IDs, dir.Current)
	}
	return dir
}

func TestPlanMembers(t *testing.T) {
	opts := schema.Config{Capacity: 2}.WithDefaults()
	for _, c := range []struct {
		name      string
		follows   []State
		documents map[string]schema.IndexDocument
		latest    int
		want      map[string][2][]string // index → added, removed
		opened    []string
	}{
		{"the first follower opens a document", []State{joins("a")}, nil, 0,
			map[string][2][]string{"00001": {{"a"}, nil}}, []string{"00001"}},
		{"a batch larger than a document opens several", []State{joins("a"), joins("b"), joins("c"), joins("d"), joins("e")}, nil, 0,
			map[string][2][]string{"00001": {{"a", "b"}, nil}, "00002": {{"c", "d"}, nil}, "00003": {{"e"}, nil}}, []string{"00001", "00002", "00003"}},
		{"the latest takes what fits", []State{joins("a"), joins("b")}, map[string]schema.IndexDocument{"00004": {Count: 1, SizeBytes: 2}}, 4,
			map[string][2][]string{"00004": {{"a"}, nil}, "00005": {{"b"}, nil}}, []string{"00005"}},
		{"who leaves is taken out where they are", []State{leaves("a", "00001"), stays("b", "00001")}, map[string]schema.IndexDocument{"00001": {Count: 2, SizeBytes: 4}}, 3,
			map[string][2][]string{"00001": {nil, {"a"}}}, nil},
		{"a place that becomes free in the latest is taken", []State{leaves("a", "00001"), joins("c")}, map[string]schema.IndexDocument{"00001": {Count: 2, SizeBytes: 4}}, 1,
			map[string][2][]string{"00001": {{"c"}, {"a"}}}, nil},
		{"who comes back while leaving gets a new place", []State{returns("a", "00001")}, map[string]schema.IndexDocument{"00002": {Count: 0}}, 2,
			map[string][2][]string{"00002": {{"a"}, nil}}, nil},
		{"nothing to do", []State{stays("a", "00001"), {ID: "b"}}, nil, 1, map[string][2][]string{}, nil},
		{"a document that is gone has nothing to take out", []State{leaves("a", "00001")}, map[string]schema.IndexDocument{}, 1, map[string][2][]string{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := planMembers(c.follows, c.documents, upTo(c.latest), opts)
			got := map[string][2][]string{}
			for _, d := range plan.documents {
				got[d.ID] = [2][]string{d.Add, d.Remove}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.opened, plan.opened); diff != "" {
				t.Errorf("opened (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlanMembersFillsDocumentsWithRoom(t *testing.T) {
	opts := schema.Config{Capacity: 4, FollowersBytes: 20}.WithDefaults()
	full := schema.IndexDocument{Count: 4, SizeBytes: 8}
	for _, c := range []struct {
		name      string
		joining   []string
		documents map[string]schema.IndexDocument
		want      map[string][]string // index → added
		current   string
	}{
		{"the current one, while it has room", []string{"a"}, map[string]schema.IndexDocument{"00001": {}, "00002": full, "00003": {Count: 3, SizeBytes: 6}},
			map[string][]string{"00003": {"a"}}, "00003"},
		{"then the first that is half empty", []string{"a", "b"}, map[string]schema.IndexDocument{"00001": {Count: 2, SizeBytes: 4}, "00002": {}, "00003": {Count: 3, SizeBytes: 6}},
			map[string][]string{"00003": {"a"}, "00001": {"b"}}, "00001"},
		{"not one that has less room", []string{"a"}, map[string]schema.IndexDocument{"00001": {Count: 3, SizeBytes: 6}, "00002": full, "00003": full},
			map[string][]string{"00004": {"a"}}, "00004"},
		{"not one that is half empty by count alone", []string{"a"}, map[string]schema.IndexDocument{"00001": {Count: 1, SizeBytes: 12}, "00002": full, "00003": full},
			map[string][]string{"00004": {"a"}}, "00004"},
		{"nor one that nothing is known of", []string{"a"}, map[string]schema.IndexDocument{"00002": full, "00003": full},
			map[string][]string{"00004": {"a"}}, "00004"},
		{"several, and then a new one", []string{"a", "b", "c", "d", "e", "f"}, map[string]schema.IndexDocument{"00001": {Count: 2, SizeBytes: 4}, "00002": {Count: 2, SizeBytes: 4}, "00003": {Count: 3, SizeBytes: 6}},
			map[string][]string{"00003": {"a"}, "00001": {"b", "c"}, "00002": {"d", "e"}, "00004": {"f"}}, "00004"},
		{"a negative count or size is not believed", []string{"a"}, map[string]schema.IndexDocument{"00001": {Count: -7}, "00002": {SizeBytes: -7}, "00003": {Count: -1, SizeBytes: 2}},
			map[string][]string{"00004": {"a"}}, "00004"},
		{"the current one is damaged", []string{"a"}, map[string]schema.IndexDocument{"00001": {}, "00002": full},
			map[string][]string{"00001": {"a"}}, "00001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var follows []State
			for _, f := range c.joining {
				follows = append(follows, joins(f))
			}
			plan := planMembers(follows, c.documents, upTo(3), opts)
			got := map[string][]string{}
			for _, d := range plan.documents {
				got[d.ID] = d.Add
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
			if plan.current != c.current {
				t.Errorf("%s is current, want %s", plan.current, c.current)
			}
		})
	}
}

// Any sequence of batches keeps every follower in one place, counts and sizes
// exact, and documents within capacity and budget.
func TestPlanMembersKeepsTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opts := schema.Config{Capacity: rapid.IntRange(1, 5).Draw(t, "capacity"), FollowersBytes: rapid.IntRange(1501, 1600).Draw(t, "bytes")}.WithDefaults()
		documents := map[string]schema.IndexDocument{}
		edges := map[string]*schema.Edge{}
		var dir Directory
		for range rapid.IntRange(1, 12).Draw(t, "batches") {
			var batch []State
			for n, now := range rapid.MapOfN(rapid.IntRange(0, 12), rapid.Bool(), 1, 8).Draw(t, "batch") {
				f := State{ID: fmt.Sprintf("%0*d", 1+n*100, n), Edge: edges[fmt.Sprintf("%0*d", 1+n*100, n)]}
				if now {
					f.Since = since
				}
				batch = append(batch, f)
			}
			slices.SortFunc(batch, func(a, b State) int { return len(a.ID) - len(b.ID) })
			plan := planMembers(batch, documents, dir, opts)
			dir = Directory{IDs: append(dir.IDs, plan.opened...), Current: plan.current}
			for _, d := range plan.documents {
				after := d.After
				after.Followers = slices.DeleteFunc(slices.Clone(documents[d.ID].Followers), func(id string) bool { return slices.Contains(d.Remove, id) })
				after.Followers = append(after.Followers, d.Add...)
				if after.Version != documents[d.ID].Version+1 {
					t.Fatalf("version of %s went from %d to %d", d.ID, documents[d.ID].Version, after.Version)
				}
				documents[d.ID] = after
			}
			for _, f := range batch {
				if edge, ok := plan.edges[f.ID]; ok {
					edges[f.ID] = &edge
				}
			}
		}
		placed := map[string]string{}
		for id, doc := range documents {
			size := 0
			for _, f := range doc.Followers {
				size += schema.IDBytes(f)
				if placed[f] != "" {
					t.Fatalf("%.20s is in %s and %s", f, placed[f], id)
				}
				placed[f] = id
			}
			if doc.Count != len(doc.Followers) || doc.SizeBytes != size || doc.Count > opts.Capacity || doc.SizeBytes > opts.FollowersBytes {
				t.Fatalf("%s: count %d, %d bytes; holds %d with %d bytes; may hold %d with %d", id, doc.Count, doc.SizeBytes, len(doc.Followers), size, opts.Capacity, opts.FollowersBytes)
			}
		}
		for f, m := range edges {
			if placed[f] != m.IndexID || m.IndexID == "" && len(m.Left) == 0 {
				t.Fatalf("%.20s is in %q, its edge says %+v", f, placed[f], *m)
			}
		}
	})
}

func TestFitsBatch(t *testing.T) {
	long := make([]string, 0, schema.MaxBatch)
	for range schema.MaxBatch {
		if !fitsBatch(long, "x") {
			t.Fatalf("a batch of %d is full, %d fit", len(long), schema.MaxBatch)
		}
		long = append(long, "x")
	}
	if fitsBatch(long, "x") {
		t.Errorf("a batch of %d takes one more", len(long))
	}
	wide := string(make([]byte, schema.MaxBatchBytes/2))
	if fitsBatch([]string{wide}, wide) {
		t.Errorf("a batch takes more than %d bytes", schema.MaxBatchBytes)
	}
}

// A follower who rejoins an index document and leaves it again before a sync is listed as
// having left it once.
func TestPlanMembersListsLeftDocumentOnce(t *testing.T) {
	f := State{ID: "a", Edge: &schema.Edge{IndexID: "00001", Left: []string{"00002", "00001"}}}
	plan := planMembers([]State{f}, map[string]schema.IndexDocument{"00001": {Count: 1, SizeBytes: 2}}, upTo(2), schema.Config{}.WithDefaults())
	if diff := cmp.Diff([]string{"00002", "00001"}, plan.edges["a"].Left); diff != "" {
		t.Errorf("left is %q (-want +got):\n%s", plan.edges["a"].Left, diff)
	}
}

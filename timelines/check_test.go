package timelines_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines"
)

// Each damage is found, by the document and the post, and nothing where there is none.
//
// A repair mends it: another check finds nothing, and the reader has each post once.
func TestDamageIsFoundAndRepaired(t *testing.T) {
	t.Parallel()
	set := func(path string, value any) []firestore.Update { return []firestore.Update{{Path: path, Value: value}} }
	entry := map[string]any{"post": "p1", "author": "ada", "audience": "ada", "at": 7}
	for name, c := range map[string]struct {
		opts   timelines.Options
		damage func(w *world, update func(id string, updates ...firestore.Update))
		want   string
	}{
		"nothing":        {opts: ones},
		"a wrong total":  {ones, func(_ *world, u func(string, ...firestore.Update)) { u("open", set("total", 7)...) }, "open: the total is 7, but there are 3 entries"},
		"a missing open": {ones, func(w *world, _ func(string, ...firestore.Update)) { w.remove("users/r1/timeline/open") }, "past-00000001: open is missing"},
		"no from": {ones, func(_ *world, u func(string, ...firestore.Update)) {
			u("past-00000001", set("from", firestore.Delete)...)
		}, "past-00000001: does not say where it begins and ends"},
		"buckets as they came": {ones, func(_ *world, u func(string, ...firestore.Update)) {
			for _, id := range []string{"past-00000001", "past-00000002", "open"} {
				u(id, append(set("from", firestore.Delete), set("to", firestore.Delete)...)...)
			}
		}, "open: is damaged"},
		"buckets out of order": {ones, func(w *world, _ func(string, ...firestore.Update)) {
			first, second := w.data("users/r1/timeline/past-00000001"), w.data("users/r1/timeline/past-00000002")
			first["sequence"], second["sequence"] = second["sequence"], first["sequence"]
			w.set("users/r1/timeline/past-00000001", second)
			w.set("users/r1/timeline/past-00000002", first)
		}, "past-00000002: begins before the bucket before it ends"},
		"an entry out of order": {ones, func(_ *world, u func(string, ...firestore.Update)) {
			u("past-00000001", set("to", "7/p0")...)
		}, "past-00000001: "},
		"an open that begins too early": {ones, func(_ *world, u func(string, ...firestore.Update)) { u("open", set("from", "7/p0")...) }, "open: begins before a closed bucket ends"},
		"a missing entry": {fifty, func(_ *world, u func(string, ...firestore.Update)) {
			u("open", append(set("entries.p2", firestore.Delete), firestore.Update{Path: "posts", Value: []string{"p1", "p3"}}, firestore.Update{Path: "total", Value: 2})...)
		}, "users/r1/timeline: p2: is missing"},
		"no timeline at all": {days, func(w *world, _ func(string, ...firestore.Update)) {
			w.remove("users/r1/timeline/" + time.Now().UTC().Format(time.DateOnly))
		}, "users/r1/timeline: p3: is missing"},
		"a lost mention": {items, func(w *world, _ func(string, ...firestore.Update)) {
			testkit.Profiles(t, w.client, "r2")
			w.set("posts/p4", map[string]any{"userId": "eve", "audience": "eve", "hidden": false, "to": []string{"r2"}, "createdAt": time.Now()})
		}, "users/r2/timeline: p4: is missing"},
		"another ring": {fifty, func(_ *world, u func(string, ...firestore.Update)) { u("open", set("slots", 3)...) }, "open: keeps 3 buckets of 50, not 0 of 50"},
		"another layout": {items, func(w *world, _ func(string, ...firestore.Update)) {
			w.set("users/r1/timeline/open", map[string]any{"sequence": 1, "entries": map[string]any{}})
		}, "open: is no document of this layout"},
		"a bucket's name":        {ones, func(_ *world, u func(string, ...firestore.Update)) { u("past-00000001", set("sequence", 5)...) }, "past-00000001: has the sequence 5"},
		"posts that lack one":    {fifty, func(_ *world, u func(string, ...firestore.Update)) { u("open", set("posts", []string{"p1", "p2"})...) }, "open: posts does not name its entries"},
		"accounts that lack one": {fifty, func(_ *world, u func(string, ...firestore.Update)) { u("open", set("accounts", []string{})...) }, "open: accounts lacks ada"},
		"an entry too many": {ones, func(_ *world, u func(string, ...firestore.Update)) {
			u("open", append(set("entries.p1", entry), firestore.Update{Path: "posts", Value: []string{"p3", "p1"}})...)
		}, "open: p1: the post does not reach the reader, is of a kind that the reader hides, or belongs in another document"},
		"a post that is gone": {items, func(w *world, _ func(string, ...firestore.Update)) { w.remove("posts/p2") }, "p2: p2: the post does not reach the reader"},
		"an old entry": {days, func(w *world, _ func(string, ...firestore.Update)) {
			w.set("posts/p2", map[string]any{"userId": "ada", "kind": "x", "createdAt": w.data("posts/p2")["createdAt"]})
		}, "p2: is not as the post says"},
		"no follow": {items, func(w *world, _ func(string, ...firestore.Update)) { w.remove("users/r1/following/ada") }, "p1: p1: the post does not reach the reader"},
		"another's document": {ones, func(w *world, _ func(string, ...firestore.Update)) {
			w.set("users/r1/timeline/x", map[string]any{"a": 1})
		}, "x: is no document of this layout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.opts)
			w.joins("r1")
			for n := range 3 {
				w.post(fmt.Sprint("p", n+1))
			}
			if c.damage != nil {
				c.damage(w, func(id string, updates ...firestore.Update) {
					_, err := w.client.Doc("users/r1/timeline/"+id).Update(t.Context(), updates)
					w.must(err)
				})
			}
			var found []string
			counts, err := entries.Check(t.Context(), w.d, entries.Options{Report: func(p entries.Problem) { found = append(found, p.String()) }})
			w.must(err)
			all := strings.Join(found, "\n")
			if c.want == "" && len(found) > 0 || !strings.Contains(all, c.want) || counts.Problems != int64(len(found)) || counts.Timelines > 1 {
				t.Errorf("found %q, counted %+v, want %q", all, counts, c.want)
			}
			var repaired []string
			if _, err = entries.Repair(t.Context(), w.d, entries.Options{Report: func(p entries.Problem) { repaired = append(repaired, p.String()) }}); err != nil {
				t.Fatal(err)
			}
			if len(found) > len(repaired) {
				t.Errorf("a check finds %q, a repair %q", all, repaired)
			}
			counts, err = entries.Check(t.Context(), w.d, entries.Options{Report: func(p entries.Problem) {
				if name != "another's document" { // which stays
					t.Error("left: ", p)
				}
			}})
			w.must(err)
			if want := map[string]int64{"a post that is gone": 2, "no follow": 0, "a lost mention": 4}[name]; counts.Entries != want && (want != 0 || name != "no follow" && counts.Entries != 3) {
				t.Errorf("%d entries are left", counts.Entries)
			}
		})
	}
}

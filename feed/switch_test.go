package feed

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// postIDs extend each other, and look like relations. Some are hashed in the names of these.
var postIDs = rapid.Custom(func(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"p", "_", "a", "~", "00001", "_00001", "_a"}), 1, 4).Draw(t, "parts")
	return "p" + strings.Join(parts, "")
})

// beyond returns the entries of a list after a position.
func beyond(list []entry, after position) []entry {
	n := 0
	switch {
	case after.name != "":
		n, _ = slices.BinarySearchFunc(list, entry{name: after.name, createdAt: after.createdAt}, func(e, at entry) int {
			return cmp.Or(e.compare(at), -1)
		})
	case !after.createdAt.IsZero():
		n = slices.IndexFunc(list, func(e entry) bool { return !e.createdAt.After(after.createdAt) })
		if n < 0 {
			n = len(list)
		}
	}
	return list[n:]
}

// Whatever lists the queries of pull return, their pages have every post, in order.
func TestMergedListsHaveEveryPost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := make([][]entry, rapid.IntRange(1, 4).Draw(t, "lists"))
		var want []string
		all := map[string]entry{}
		for _, id := range rapid.SliceOfNDistinct(postIDs, 0, 20, rapid.ID[string]).Draw(t, "posts") {
			e := entry{name: id, createdAt: aTime.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "time")) * time.Second)}
			for n := range lists {
				if e.post = ""; rapid.Bool().Draw(t, "readable") {
					e.post = id
				}
				if rapid.Bool().Draw(t, "in the list") {
					lists[n] = append(lists[n], e)
					if e.post != "" {
						all[id] = e
					}
				}
			}
		}
		for _, list := range lists {
			slices.SortFunc(list, entry.compare)
		}
		sorted := make([]entry, 0, len(all))
		for _, e := range all {
			sorted = append(sorted, e)
		}
		slices.SortFunc(sorted, entry.compare)
		for _, e := range sorted {
			want = append(want, e.post)
		}
		var got []string
		answers := slices.Repeat([]list{{more: true}}, len(lists))
		for passed, more := (position{}), true; more; {
			n, limit := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "limit")
			for at, l := range answers {
				answers[at].entries = l.beyond(passed)
				if l.more && (len(answers[at].entries) == 0 || rapid.Bool().Draw(t, "again")) {
					rest := beyond(lists[at], passed)
					some := rest[:min(n, len(rest))]
					answers[at] = list{slices.Clone(some), len(some) == n}
				}
			}
			var found []entry
			if found, more = merge(answers, limit); more && len(found) == 0 {
				t.Fatal("no way on")
			}
			for _, e := range found {
				if e.post != "" {
					got = append(got, e.post)
				}
				passed = position{e.createdAt, e.name, 0}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

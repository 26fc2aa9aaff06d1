//go:build long

package sending_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"cloud.google.com/go/firestore"
	"pgregory.net/rapid"

	"example.com/relationindex/schema"
)

// Members change in any way between any two pages, and pages may be repeated. Nobody gets the post
// twice, and a follower whose place does not change gets it.
func TestMembersChangeBetweenPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, schema.Config{Chunk: 1})
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		author, post := fmt.Sprint("ada", n), fmt.Sprint("p", n)
		all := readers(0, 40)
		places := map[string]int{} // index document of each follower; none: no follower
		for _, reader := range all {
			places[reader] = rapid.IntRange(-1, 2).Draw(r, reader)
		}
		stay := maps.Clone(places)
		follow := func() {
			parts := make([][]string, 3)
			for _, reader := range all {
				if i := places[reader]; i >= 0 {
					parts[i] = append(parts[i], reader)
				}
			}
			w.crowd(author, parts...)
		}
		follow()
		named := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, 5, rapid.ID[string])
		to := named.Draw(r, "to")
		w.acquaint(author, to...)
		w.set("posts/"+post, map[string]any{"userId": author, "audience": author, "to": append([]string{}, to...), "createdAt": firestore.ServerTimestamp})
		w.event(post)
		for more := true; more; {
			for _, reader := range rapid.SliceOfN(rapid.SampledFrom(all), 0, 6).Draw(r, "who changes") {
				if places[reader] = rapid.IntRange(-1, 2).Draw(r, "to"); places[reader] != stay[reader] {
					delete(stay, reader)
				}
			}
			follow()
			if to := named.Draw(r, "to now"); len(to) > 0 {
				w.acquaint(author, to...)
				w.Edit(post, firestore.Update{Path: "to", Value: to})
				for _, reader := range to { // the page that would bring it may be over, and other pages leave them out
					delete(stay, reader)
				}
			}
			before := w.Data("_functions/" + jobOf(post))
			more = !w.Step(w.App, jobOf(post)).State.Finished()
			if more && rapid.Bool().Draw(r, "again") { // as after a crash before the checkpoint
				for _, field := range []string{"phase", "lastDoc", "done"} {
					w.Must(w.Client.Doc("_functions/"+jobOf(post)).Update(t.Context(), []firestore.Update{{Path: field, Value: before[field]}}))
				}
			}
		}
		got, err := told(t.Context(), w.Client, post)
		w.OK(err)
		slices.Sort(got)
		if once := slices.Compact(slices.Clone(got)); len(once) < len(got) {
			r.Fatalf("%s was told to %v, some twice", post, got)
		}
		for reader, place := range stay {
			if place >= 0 && !slices.Contains(got, reader) {
				r.Fatalf("%s was not told to %s", post, reader)
			}
		}
	})
}

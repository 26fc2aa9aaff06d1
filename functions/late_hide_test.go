package functions_test

import (
	"fmt"
	"maps"
	"testing"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// An author beyond their hour hides and shows a post, or deletes it and writes it again, and the events of the hides and
// deletions come late: they find the post shown, and do not look at its copies. Whom the post names no longer loses it at
// once. A post that is still hidden, or has another audience, goes at once too.
func TestLateHidesBeyondTheHourLookAtNoCopies(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}})
	var all []string
	for n := range 30 {
		all = append(all, fmt.Sprint("f", n))
	}
	a.friends(all...)
	testkit.Profiles(t, a.Client, "r1", "r2")
	h := a.hourly(300)
	h.rewrites("p", nil, post("ada", "r1", "r2"))
	h = a.hourly(1)
	h.over()
	hidden := func(fields map[string]any) map[string]any {
		fields["hidden"] = true
		return fields
	}
	late := func(after map[string]any, most int64) {
		t.Helper()
		h.late = true
		if used := h.changes("OnPostWritten", "posts/p", post("ada", "r1", "r2"), after); used.Reads > most {
			t.Errorf("it costs %v, want at most %d reads", used, most)
		}
		h.late = false
	}
	stored := func(fields map[string]any) {
		t.Helper()
		fields = maps.Clone(fields)
		fields["createdAt"] = day
		a.Must(a.Client.Doc("posts/p").Set(t.Context(), fields))
	}
	for range 2 {
		late(hidden(post("ada", "r1", "r2")), 12)
		late(nil, 12)
	}
	for _, r := range []string{"f1", "r1", "r2"} {
		a.WantTimeline(r, "p")
	}
	stored(post("ada", "r2"))
	late(hidden(post("ada", "r1", "r2")), 20)
	a.WantTimeline("r1")
	a.WantTimeline("r2", "p")
	a.WantTimeline("f1", "p")
	stored(post("g_team", "r2"))
	late(hidden(post("ada", "r1", "r2")), 200)
	a.WantTimeline("f1")
	a.WantTimeline("r2", "p")
	stored(hidden(post("ada", "r2")))
	late(hidden(post("ada", "r1", "r2")), 200)
	a.WantTimeline("r2")
	a.WantFeed("r2")
}

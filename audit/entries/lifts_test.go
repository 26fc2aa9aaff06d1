package entries_test

import (
	"testing"
	"time"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/feed/pages"
)

// No event of a comment was handled. The repair lifts its post for readers who follow the commenter.
func TestRepairLiftsPostsWithMissedComments(t *testing.T) {
	t.Parallel()
	cfg := configs["items"]
	cfg.Ranked = true
	w := newWorld(t, cfg)
	w.joins("ada", "r1")
	w.joins("ada", "r2")
	w.joins("tom", "r1")
	now := time.Now()
	for n, p := range []string{"p1", "p2"} {
		w.set("posts/"+p, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": now.Add(time.Duration(n-60) * time.Minute)})
		w.must(w.Timelines.Post(t.Context(), p))
	}
	w.set("posts/p1/comments/c1", map[string]any{"userId": "tom", "createdAt": now, "text": "yes"})
	for range 2 {
		_, err := entries.Repair(t.Context(), w.Timelines, entries.Options{})
		w.must(err)
	}
	for reader, want := range map[string]string{"r1": "p1", "r2": "p2"} {
		listed, err := pages.Newest(t.Context(), w.DB, w.Timelines.Layout(), reader, 1)
		if w.must(err); len(listed) != 1 || listed[0].Post != want {
			t.Errorf("the timeline of %s begins with %+v, want %s", reader, listed, want)
		}
	}
	w.check(0)
}

package timelines_test

import (
	"testing"
	"time"

	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// A server's post of the last year that Firestore stores has an entry that expires then.
func TestEntryOfYear9999Expires(t *testing.T) {
	t.Parallel()
	const month = 30 * 24 * time.Hour
	for name, l := range map[string]layout.Layout{"items": layout.Items{Expire: month}, "days": layout.Days{Expire: month}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, timelines.Options{Layout: l})
			w.joins("bob")
			for _, createdAt := range []time.Time{time.Now(), time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC)} {
				w.set("posts/p", map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": createdAt})
				w.must(w.d.Post(t.Context(), "p"))
				w.wantFeed("bob", "p")
			}
		})
	}
}

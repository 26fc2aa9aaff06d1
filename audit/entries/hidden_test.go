package entries_test

import (
	"testing"
	"time"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/internal/testkit"
)

// What readers decided before settings were on, or decide while they are off, is done by the next
// repair: entries are marked, and go; without settings, no mark stays, and they come.
func TestSettingsThatAreTurnedOnAndOff(t *testing.T) {
	t.Parallel()
	for name, cfg := range configs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, cfg)
			w.joins("ada", "r1")
			for _, p := range []string{"p1", "p2"} {
				w.set("posts/"+p, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "kind": p, "createdAt": w.at.Add(time.Hour)})
				w.must(w.Timelines.Post(t.Context(), p))
			}
			w.set("users/r1/hidden/p1", map[string]any{})
			w.set("users/r1/settings/feed", map[string]any{"hide": []string{"*/p2"}})
			turn := func(settings bool) {
				t.Helper()
				w.cfg.ReaderSettings = settings
				w.System = testkit.Index(t, w.project, w.cfg)
				c, err := entries.Check(t.Context(), w.Timelines, entries.Options{Posts: 10})
				if w.must(err); c.Problems != 2 {
					t.Errorf("settings are %t: %d problems, want 2", settings, c.Problems)
				}
				_, err = entries.Repair(t.Context(), w.Timelines, entries.Options{Posts: 10})
				w.must(err)
				w.check(10)
			}
			w.check(10)
			turn(true)
			w.wantFeed("r1", "p1")
			turn(false)
			w.wantFeed("r1", "p1 p2")
		})
	}
}

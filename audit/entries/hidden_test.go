package entries_test

import (
	"testing"
	"time"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/testkit"
)

// The next repair applies the settings that readers wrote while reader settings were off:
// it marks hidden posts and removes hidden kinds. After settings are turned off, a repair
// removes the marks and restores the entries.
func TestRepairAppliesSettingsTurnedOnAndOff(t *testing.T) {
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
				want := int64(2)
				if settings {
					want++ // that fan-outs do not know of it
				}
				if w.must(err); c.Problems != want {
					t.Errorf("settings are %t: %d problems, want %d", settings, c.Problems, want)
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

// A reader hides a post before its delivery, while settings are off. After a repair, the post is delivered with the mark.
func TestRepairMarksPostHiddenBeforeDelivery(t *testing.T) {
	t.Parallel()
	w := newWorld(t, configs["items"])
	w.set("users/r1/hidden/p1", map[string]any{})
	w.cfg.ReaderSettings = true
	w.System = w.open()
	w.check(0, "_hides/p1: does not say that r1 hides the post")
	_, err := entries.Repair(t.Context(), w.Timelines, entries.Options{})
	w.must(err)
	w.check(0)
	w.joins("ada", "r1")
	w.set("posts/p1", map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": w.at.Add(time.Hour)})
	w.must(w.Timelines.Post(t.Context(), "p1"))
	listed, err := pages.Newest(t.Context(), w.DB, w.Timelines.Layout(), "r1", 10)
	w.must(err)
	if len(listed) != 1 || !listed[0].Hidden {
		t.Errorf("the timeline has %+v, want p1 with the mark", listed)
	}
	w.check(0)
}

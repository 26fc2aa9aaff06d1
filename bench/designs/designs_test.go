package designs_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/bench/designs"
	"example.com/relationindex/internal/runtime/config"
)

// Every reader sees the same feed in every design, after follows before and
// after posts, edits, unfollows and deletions. The relation index has several
// index documents for each author that is followed by many.
func TestDesignsShowTheSameFeeds(t *testing.T) {
	t.Parallel()
	feeds, began := map[string]map[string][]designs.Post{}, time.Now()
	for _, name := range names {
		d := open(t, name, config.Functions{Capacity: 7})
		for _, phase := range designs.Workload(designs.Small, 1, began) {
			before := d.Counts()
			if err := phase.Run(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %d × %s: %v", name, len(phase.Ops), phase.Name, d.Counts().Minus(before))
		}
		var err error
		if feeds[name], err = designs.Feeds(t.Context(), d, designs.Small); err != nil {
			t.Fatal(err)
		}
	}
	shown := 0
	for _, page := range feeds[names[0]] {
		shown += len(page)
	}
	if shown < 2*designs.Small.Users {
		t.Errorf("all feeds together show %d posts: too few to compare", shown)
	}
	for _, name := range names[1:] {
		if diff := cmp.Diff(feeds[names[0]], feeds[name]); diff != "" {
			t.Errorf("feeds of %s differ from those of %s (-, +):\n%.2000s", name, names[0], diff)
		}
	}
}

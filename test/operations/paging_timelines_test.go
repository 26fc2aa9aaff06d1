//go:build long

package operations

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// A timeline of so many posts is read to its end by a reader for each size of pages.
const (
	timelinePosts    = 40
	timelineArrivals = 12 // between the pages: at the top, and between others
	timelineRemovals = 6  // likewise
)

// start is the time of the first post of a timeline. A day has a third of the posts.
var start = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

func timelineTime(n int) time.Time { return start.Add(time.Duration(n/2) * 100 * time.Minute) } // two of each time

func TestTimelinesHaveNoGapsAndNoRepeatsWhilePostsComeAndGo(t *testing.T) {
	for name, form := range map[string]struct {
		schema.Config
		kept int // of the posts, the newest that stay whatever comes; 0: all
	}{
		"items":                  {Config: schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}}},
		"items, ranked":          {Config: schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}, Ranked: true}},
		"buckets":                {Config: schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 7}},
		"buckets of one":         {Config: schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 1}},
		"buckets larger than it": {Config: schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}}},
		"a ring":                 {Config: schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 5, Cap: 30}, kept: 30 - timelineArrivals},
		"days":                   {Config: schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "days"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := form.Config
			cfg.Feeds, cfg.Backfill, cfg.FeedRate = schema.FeedsOf(cfg.Timeline(), false), cmp.Or(cfg.Cap, 100), 1_000_000
			a := testkit.NewApp(t, cfg)
			a.Group("g_team", "boss")
			want := map[string]time.Time{}
			post := func(id string, n int) {
				a.PostTo(id, []string{"ann", "ben", "cat"}[n%3], "g_team", timelineTime(n))
			}
			for i := range timelinePosts {
				id := fmt.Sprintf("before%02d", i)
				if post(id, i); i%(timelinePosts/timelineRemovals) > 0 && (form.kept == 0 || i >= timelinePosts-form.kept) {
					want[id] = timelineTime(i)
				}
			}
			a.Settle()
			sizes := []int{1, 3, 7, 10, 50}
			var readings []*reading
			lifted := map[string]bool{}
			url := a.URL("Feed")
			for _, size := range sizes {
				uid := fmt.Sprintf("reader%02d", size)
				a.Follow(uid, "sue")
				// Before all posts: it brings all that are there, and gets those that come late.
				a.Must(a.Client.Doc("users/g_team/followers/"+uid).Set(t.Context(), map[string]any{"createdAt": start.Add(-time.Hour)}))
				readings = append(readings, &reading{
					way: throughFeed(url, testkit.Google.IDToken(a.ID, uid, nil), size), of: fmt.Sprintf("%s, %d a page", uid, size),
					want: want, seen: map[string]bool{}, lifted: lifted,
				})
			}
			a.Settle()
			if form.Ranked { // comments of one whom they follow lift some of the posts
				for i := 1; i < timelinePosts; i += 9 {
					id := fmt.Sprintf("before%02d", i)
					a.Must(a.Client.Doc("posts/"+id+"/comments/c").Set(t.Context(), map[string]any{"userId": "sue", "createdAt": time.Now(), "text": "yes"}))
					lifted[id] = true
				}
				a.Settle()
			}

			arrived, removed := 0, 0
			for ended := 0; ended < len(readings); {
				ended = 0
				for _, r := range readings {
					if r.ended {
						ended++
					} else {
						r.page(t)
					}
				}
				if arrived < timelineArrivals {
					n := timelinePosts + arrived // the top
					if arrived%3 > 0 {
						n = arrived * timelinePosts / timelineArrivals // between others, also those that were read
					}
					post(fmt.Sprintf("meanwhile%02d", arrived), n)
					arrived++
				}
				if removed < timelineRemovals {
					id := fmt.Sprintf("before%02d", (timelineRemovals-1-removed)*(timelinePosts/timelineRemovals))
					if removed%2 == 0 {
						a.DeletePost(id)
					} else {
						a.Edit(id, firestore.Update{Path: "hidden", Value: true})
					}
					removed++
				}
				a.Settle()
			}
			if arrived < timelineArrivals || removed < timelineRemovals {
				t.Errorf("only %d posts came and %d went between the pages", arrived, removed)
			}
		})
	}
}

package feed_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/feedtest"
)

// A timeline has the same posts as relations, in the same order except for equal times in buckets. A cursor continues
// where its page ended, even if new posts arrive.
func TestFeedFromATimeline(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]schema.Config{
		"items":         {NoOwnPosts: true, Feeds: []string{"relations", "items"}},
		"buckets of 50": {NoOwnPosts: true, Feeds: []string{"relations", "buckets"}},
		"buckets of 3":  {NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 3},
		"days":          {NoOwnPosts: true, Feeds: []string{"relations", "days"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := feedtest.New(t, cfg)
			s.Group("g_team", "ada")
			for _, followed := range []string{"ada", "g_team"} {
				s.FollowSince("bob", followed, feedtest.Noon.Add(-time.Hour))
			}
			s.Settle()
			for i := range 20 {
				id, at := fmt.Sprintf("p%02d", i), feedtest.Noon.Add(time.Duration(i/2)*7*time.Hour)
				switch i % 4 {
				case 0:
					s.PostTo(id, "ada", "g_team", at, "bob")
				case 1:
					s.PostTo(id, "eve", "g_team", at)
				default:
					s.Post(id, "ada", at)
				}
				s.Settle() // they come one after the other
			}
			want := s.Whole("bob", "")
			if n := len(strings.Fields(want)); n != 20 {
				t.Fatalf("relations have %d posts", n)
			}
			if got := s.Whole("bob", "&source=timeline"); got != want && cfg.Timeline() != "buckets" { // whose order of equal times is their own
				t.Errorf("a timeline has  %s\nrelations have %s", got, want)
			}
			first := s.Get("bob", "?limit=4&source=timeline")
			all := strings.Fields(first.IDs())
			for i := range 4 { // buckets of 3 are closed twice
				s.Post(fmt.Sprintf("q%d", i), "ada", feedtest.Noon.Add(1000*time.Hour))
			}
			s.Settle()
			for at := first; at.Page.Cursor != nil; {
				at = s.Get("bob", "?limit=4&cursor="+*at.Page.Cursor)
				all = append(all, strings.Fields(at.IDs())...)
			}
			if slices.Sort(all); strings.Join(slices.Compact(slices.Clone(all)), " ") != sortedWords(want) || len(all) != 20 {
				t.Errorf("pages have %v", all)
			}
			if got := s.Get("bob", "?source=pull&cursor="+*first.Page.Cursor); got.StatusCode != http.StatusBadRequest {
				t.Errorf("a cursor of a timeline goes on with pull: %d", got.StatusCode)
			}
		})
	}
}

func sortedWords(text string) string {
	return strings.Join(slices.Sorted(slices.Values(strings.Fields(text))), " ")
}

// Without relations, a feed is the timeline's. A ring shows its newest cap posts. A database
// without timelines says so.
func TestFeedWithoutRelations(t *testing.T) {
	t.Parallel()
	s := feedtest.New(t, schema.Config{NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 2, Cap: 4})
	s.Must(s.Client.Doc("users/ada/followers/bob").Set(t.Context(), map[string]any{"createdAt": feedtest.Noon.Add(-time.Hour)}))
	s.Settle()
	for i := range 9 {
		s.Post(fmt.Sprintf("p%d", i), "ada", feedtest.Noon.Add(time.Duration(i)*time.Hour))
		s.Settle()
	}
	for _, query := range []string{"", "&source=timeline"} {
		if got := s.Whole("bob", query); got != "p8 p7 p6 p5" {
			t.Errorf("%q: the feed has %s", query, got)
		}
	}
	s = feedtest.New(t, schema.Config{NoOwnPosts: true})
	if got := s.Get("bob", "?source=timeline"); got.StatusCode != http.StatusBadRequest {
		t.Errorf("without timelines: %d %s", got.StatusCode, got.Body)
	}
}

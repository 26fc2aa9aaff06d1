package feed_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/feedtest"
)

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

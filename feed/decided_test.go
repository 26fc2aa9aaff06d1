package feed_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/feedtest"
)

// A timeline page omits hidden posts and counts unread ones. A comment lifts a post, which keeps
// its own createdAt.
func TestFeedAppliesReaderSettings(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]schema.Config{
		"items":        {NoOwnPosts: true, Feeds: []string{"relations", "items"}, ReaderSettings: true, Ranked: true},
		"buckets of 2": {NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 2, ReaderSettings: true},
		"days":         {NoOwnPosts: true, Feeds: []string{"relations", "days"}, ReaderSettings: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := feedtest.New(t, cfg)
			s.Must(s.Client.Doc("users/ada").Set(t.Context(), map[string]any{"name": "ada"}))
			s.FollowSince("bob", "ada", feedtest.Noon.Add(-time.Hour))
			s.Settle()
			for n := range 6 {
				s.Post(fmt.Sprintf("p%d", n), "ada", feedtest.Noon.Add(time.Duration(n)*time.Minute))
				s.Settle()
			}
			get := func(query, want, unread string) feedtest.Answer {
				t.Helper()
				got := s.Get("bob", "?source=timeline&"+query)
				is := "none"
				if u := got.Page.Unread; u != nil {
					is = fmt.Sprint(u.Count, u.More)
				}
				if got.IDs() != want || is != unread {
					t.Errorf("%s: %s, unread %s; want %s, unread %s", query, got.IDs(), is, want, unread)
				}
				return got
			}
			get("limit=6", "p5 p4 p3 p2 p1 p0", "none")
			s.Must(s.Client.Doc("users/bob/settings/feed").Set(t.Context(), map[string]any{"readAt": feedtest.Noon.Add(5 * time.Minute)})) // where it was once
			get("limit=6", "p5 p4 p3 p2 p1 p0", "none")
			s.Must(s.Client.Doc("users/bob/settings/read").Set(t.Context(), map[string]any{"readAt": feedtest.Noon.Add(2 * time.Minute)}))
			s.Must(s.Client.Doc("users/bob/hidden/p4").Set(t.Context(), map[string]any{"createdAt": firestore.ServerTimestamp}))
			s.Settle()
			get("limit=6", "p5 p3 p2 p1 p0", "2 false")
			first := get("limit=2", "p5 p3", "2 true")
			get("cursor="+*first.Page.Cursor, "p2 p1 p0", "none")
			s.Must(s.Client.Doc("users/bob/settings/feed").Set(t.Context(), map[string]any{"hide": 7}))
			s.Must(s.Client.Doc("users/bob/settings/read").Set(t.Context(), map[string]any{"readAt": "yesterday"}))
			s.Settle()
			get("limit=6", "p5 p3 p2 p1 p0", "none")
			if !cfg.Ranked {
				return
			}
			s.Must(s.Client.Doc("posts/p0/comments/c").Set(t.Context(), map[string]any{"userId": "ada"}))
			s.Settle()
			lifted := get("limit=6", "p0 p5 p3 p2 p1", "none").Page.Posts[0]
			if at, ok := lifted.Data["createdAt"].(string); !ok || at != feedtest.Noon.Format(time.RFC3339Nano) || !lifted.CreatedAt.After(feedtest.Noon) {
				t.Errorf("the lifted post has %v, and its own createdAt %v", lifted.CreatedAt, lifted.Data["createdAt"])
			}
		})
	}
}

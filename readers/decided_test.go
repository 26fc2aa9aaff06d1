//go:build long

package readers_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// decidedForms are forms of timelines whose readers decide. Small limits make jobs of long work.
var decidedForms = map[string]schema.Config{
	"items":                  {NoOwnPosts: true, Feeds: []string{"items"}, Backfill: 100, ReaderSettings: true},
	"buckets of 2, by jobs":  {NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 2, Backfill: 100, ReaderSettings: true, InlineLimit: 1, Chunk: 1},
	"a ring":                 {NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 2, Cap: 8, Backfill: 8, ReaderSettings: true},
	"days beside relations":  {NoOwnPosts: true, Feeds: []string{"relations", "days"}, Backfill: 100, ReaderSettings: true},
	"ranked items, by jobs":  {NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true, Backfill: 100, ReaderSettings: true, InlineLimit: 1, Chunk: 1},
	"items without backfill": {NoOwnPosts: true, Feeds: []string{"items"}, ReaderSettings: true},
}

// Readers hide kinds of posts, of one author or of all, before and after these come; and take it
// back.
func TestReadersHideKinds(t *testing.T) {
	t.Parallel()
	for name, cfg := range decidedForms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, cfg)
			for _, author := range []string{"ann", "bob"} {
				a.Must(a.Client.Doc("users/"+author).Set(t.Context(), map[string]any{"name": author}))
				a.FollowSince("r1", author, stories.Day.Add(-time.Hour))
				a.FollowSince("r2", author, stories.Day.Add(-time.Hour))
			}
			a.Profile("r1", map[string]any{"name": "R"})
			a.Settle()
			post := func(p, author, kind string, to ...string) {
				t.Helper()
				a.Must(a.Client.Doc("posts/"+p).Set(t.Context(), map[string]any{
					"userId": author, "audience": author, "hidden": false, "kind": kind, "to": to, "createdAt": stories.Day.Add(time.Duration(len(p)) * time.Minute),
				}))
				a.Settle()
			}
			decide := func(hide, show []string) {
				t.Helper()
				a.Must(a.Client.Doc("users/r1/settings/feed").Set(t.Context(), map[string]any{"hide": hide, "show": show}))
				a.Settle()
			}
			post("a-photo", "ann", "photo")
			post("b-photo", "bob", "photo")
			post("b-event", "bob", "event")
			post("z-photo", "zoe", "photo", "r1")
			a.WantShown("r1", "a-photo", "b-event", "b-photo", "z-photo")
			decide([]string{"*/photo"}, []string{"ann/*"})
			a.WantShown("r1", "a-photo", "b-event")
			post("b-photo-2", "bob", "photo")
			post("a-photo-2", "ann", "photo")
			post("z-photo-2", "zoe", "photo", "r1")
			a.WantShown("r1", "a-photo", "a-photo-2", "b-event")
			a.WantShown("r2", "a-photo", "a-photo-2", "b-event", "b-photo", "b-photo-2")
			// An edit of the kind hides a post, and shows another.
			a.Must(a.Client.Doc("posts/b-event").Update(t.Context(), []firestore.Update{{Path: "kind", Value: "photo"}}))
			a.Must(a.Client.Doc("posts/b-photo").Update(t.Context(), []firestore.Update{{Path: "kind", Value: "event"}}))
			a.Settle()
			a.WantShown("r1", "a-photo", "a-photo-2", "b-photo")
			decide([]string{"bob/*"}, nil)
			all := []string{"a-photo", "a-photo-2", "z-photo", "z-photo-2"}
			a.WantShown("r1", all...)
			decide(nil, nil)
			a.WantShown("r1", append(all, "b-event", "b-photo", "b-photo-2")...)
			// The same again, which changes nothing.
			decide(nil, nil)
			a.WantShown("r1", append(all, "b-event", "b-photo", "b-photo-2")...)
			a.Unfollow("r1", "bob")
			a.Settle()
			a.WantShown("r1", all...)
		})
	}
}

// An idle reader gets nothing until they return. Then nothing is missing, up to the cap.
func TestIdleReadersReturn(t *testing.T) {
	t.Parallel()
	for name, cfg := range decidedForms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.Idle = 24 * time.Hour
			a := testkit.NewApp(t, cfg)
			a.Must(a.Client.Doc("users/ann").Set(t.Context(), map[string]any{"name": "ann"}))
			for _, r := range []string{"idle", "active", "new"} {
				a.FollowSince(r, "ann", stories.Day.Add(-time.Hour))
			}
			seen := func(r string, at time.Time) {
				t.Helper()
				a.Must(a.Client.Doc("users/"+r+"/settings/feed").Set(t.Context(), map[string]any{"seenAt": at}))
			}
			seen("idle", time.Now().Add(-25*time.Hour))
			seen("active", time.Now().Add(-23*time.Hour))
			a.Settle()
			var posts []string
			for n := range 12 {
				p := fmt.Sprintf("p%02d", n)
				posts = append(posts, p)
				a.Post(p, "ann", stories.Day.Add(time.Duration(n)*time.Minute))
				a.Settle()
			}
			a.PostTo("direct", "zoe", "", stories.Day.Add(time.Hour), "idle")
			a.Settle()
			a.WantShown("idle")
			newest := func(all []string) []string { return all }
			if cfg.Cap > 0 {
				newest = func(all []string) []string { return all[len(all)-cfg.Cap:] }
			}
			for _, r := range []string{"active", "new"} {
				a.WantShown(r, newest(posts)...)
			}
			seen("idle", time.Now())
			a.Settle()
			a.WantShown("idle", newest(append(slices.Clone(posts), "direct"))...)
			a.Post("p99", "ann", stories.Day.Add(2*time.Hour))
			a.Settle()
			a.WantShown("idle", newest(append(slices.Clone(posts), "direct", "p99"))...)
		})
	}
}

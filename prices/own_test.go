//go:build long

package prices_test

import (
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// An author's own timeline is one more, as if each post named the author.
func TestOwnPostsInTimelines(t *testing.T) {
	t.Parallel()
	for _, form := range timelineForms {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			cfg := form.Config
			cfg.Feeds, cfg.NoOwnPosts = schema.FeedsOf(cfg.Timeline(), false), false
			a := newTimelineApp(t, cfg)
			a.crowd("author", 2)
			post := func(p string, hours int) func() {
				return func() { a.PostTo(p, "author", "author", future.Add(time.Duration(hours)*time.Hour)) }
			}
			post("p0", 0)()
			a.Settle()
			a.wantCost("a post", a.x.Post(each(2, nil), each(1, nil)), oneWrite, post("p1", 1))
			a.wantCost("an edit", a.x.Edit(each(2, nil), each(1, nil)), oneWrite, func() { a.Edit("p1", firestore.Update{Path: "text", Value: "two"}) })
			a.wantCost("a deletion", a.x.Delete(each(2, nil), each(1, nil)), oneDelete, func() { a.DeletePost("p1") })
		})
	}
}

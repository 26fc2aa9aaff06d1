package feed_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// The newest 100 posts are two pages of 50. They cost five bucket reads, as docs/feed.md says, and 100 post reads.
// The second page reads the open bucket again, and the bucket in which the first page ended.
func TestNewest100PostsCostFiveBucketReads(t *testing.T) {
	t.Parallel()
	db := newDatabaseFor(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}})
	documents := map[string]map[string]any{}
	for bucket, posts := range []int{50, 50, 50, 20} {
		entries := map[string]any{}
		for i := range posts {
			id, at := fmt.Sprintf("p%d%02d", bucket, i), noon.Add(time.Duration(100*bucket+i)*time.Minute)
			documents["posts/"+id] = map[string]any{"userId": "bob", "audience": "bob", "hidden": false, "createdAt": at}
			entries[id] = map[string]any{"post": id, "author": "bob", "audience": "bob", "at": at.UnixMicro()}
		}
		name := layout.Ring{Size: 50}.Slot(int64(bucket + 1))
		if posts < 50 {
			name = layout.OpenID
		}
		documents["users/ada/timeline/"+name] = map[string]any{"entries": entries, "sequence": bucket + 1, "size": 50, "slots": 0, "total": 170, "from": fmt.Sprintf("%d/AAAAAAAAAAAA", noon.UnixMicro())}
	}
	db.write(documents)
	var all []string
	cursor := ""
	for n, buckets := range []int64{2, 3} {
		var p feed.Page
		counts, _ := db.counts(func() {
			var err error
			if p, err = db.Timeline(t.Context(), "ada", 50, cursor); err != nil {
				t.Fatal(err)
			}
		})
		if counts.Reads != buckets+50 {
			t.Errorf("page %d took %v, want %d buckets and 50 posts", n+1, counts, buckets)
		}
		for _, post := range p.Posts {
			all = append(all, post.ID)
		}
		cursor = p.Cursor
	}
	if len(all) != 100 || all[0] != "p319" || all[99] != "p120" {
		t.Errorf("%d posts from %s to %s, want p319 to p120", len(all), all[0], all[len(all)-1])
	}
}

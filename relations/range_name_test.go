package relations_test

import (
	"testing"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// An author chooses a post's id, which may equal the id of another post's range job:
// neither replaces the other's job.
func TestPostIDEqualToRangeJobID(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 1, Range: 1})
	a.Followed("author", 3)
	a.Silence()

	w := a.Worker(0)
	for n, id := range []string{"x", "x~00002"} {
		a.Post(id, "author", stories.Day.Add(time.Duration(n)*time.Hour))
		a.OK(w.Index.Deliveries.Post(t.Context(), id))
	}
	a.OK(w.Finish(a))
	a.WantFeed("r02", "x~00002", "x")
	a.WantVerified()
}

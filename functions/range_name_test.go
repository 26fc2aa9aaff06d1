package functions_test

import (
	"testing"
	"time"

	"example.com/relationindex/internal/config"
)

// A post's id is its author's to choose, and may be what the job of a range of
// another post is called: neither takes the other's.
func TestAPostThatLooksLikeARange(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 1, InlineLimit: 1, Range: 1})
	a.followed("author", 3)
	a.Silence()

	w := a.worker(0)
	for n, id := range []string{"x", "x~00002"} {
		a.Post(id, "author", day.Add(time.Duration(n)*time.Hour))
		if err := w.index.Deliveries.Post(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.finish(a); err != nil {
		t.Fatal(err)
	}
	a.WantFeed("r02", "x~00002", "x")
	a.WantVerified()
}

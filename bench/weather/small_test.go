//go:build long

package weather

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A small run has all measurements.
func TestTimeToFeed(t *testing.T) {
	s := start(t, options{})
	a := &author{id: "author", all: 30, each: 10, asking: 1}
	s.load(a)
	s.loadPosts(a, 3)
	s.rest()
	r := s.measure(func(ctx context.Context) error {
		return errors.Join(s.post(ctx, "posts", a), s.follow(ctx, "follows", a, true))
	})
	for kind, n := range map[string]int{"posts": 3, "follows": 1} {
		feed, never, bare := timesOf(r.samples, kind)
		if len(feed) != n || never != 0 || len(bare) != 1 || feed[0] <= 0 || bare[0] <= 0 || feed[0] > time.Minute {
			t.Errorf("%s: %v, %d never, bare %v", kind, feed, never, bare)
		}
	}
	if r.left != "" || r.err != nil || len(r.reasons) == 0 {
		t.Error(r.left, r.err, r.reasons)
	}
}

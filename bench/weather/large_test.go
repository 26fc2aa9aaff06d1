package weather

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/schema"
)

var (
	readers   = flag.Int("readers", 20_000, "readers of BenchmarkNewCollection")
	documents = flag.Int("documents", 2_000, "index documents of BenchmarkTwentyMillion")
	arrays    = flag.Int("arrays", 100, "followers in each of them, of which each stands for a part of 10,000")
)

// BenchmarkNewCollection measures a post to -readers timelines of each form, in a new collection: it takes 500 writes a second
// at first. Each thousandth reader asks.
func BenchmarkNewCollection(b *testing.B) {
	for b.Loop() {
		t := newTable()
		for _, form := range []struct {
			name string
			cfg  schema.Config
		}{
			{"items", schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}}},
			{"buckets", schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}}},
			{"ring", schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 1, Cap: 1000}},
			{"days", schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "days"}}},
		} {
			b.Run("case="+form.name, func(b *testing.B) {
				form.cfg.Feeds = schema.FeedsOf(form.cfg.Timeline(), false)
				a := &author{id: "author", all: *readers, each: schema.DefaultCapacity, timeline: true, asking: *readers / 1000}
				once(b, t, form.name, options{functions: form.cfg, ramp: true}, fmt.Sprintf("a post to %d timelines", a.all), a)
			})
		}
	}
}

// BenchmarkTwentyMillion measures a post to -documents index documents, by jobs in one process and in several. Each has -arrays
// followers, and their index entries delay a commit for as long as those of 10,000, which is a second: the emulator could not
// carry the real arrays.
func BenchmarkTwentyMillion(b *testing.B) {
	for b.Loop() {
		t := newTable()
		for _, workers := range []int{1, 3} {
			what := fmt.Sprintf("processes=%d", workers)
			b.Run(what, func(b *testing.B) {
				a := &author{id: "author", all: *documents * *arrays, each: *arrays, asking: 1}
				kind := fmt.Sprintf("a post as to %d followers", *documents*schema.DefaultCapacity)
				once(b, t, what, options{workers: workers, entries: schema.DefaultCapacity / *arrays}, kind, a)
			})
		}
	}
}

// once measures one post.
func once(b *testing.B, t *table, what string, o options, kind string, a *author) {
	s := start(b, o)
	s.load(a)
	t.add(b, what, s.measure(func(ctx context.Context) error { return s.post(ctx, kind, a) }), kind)
}

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

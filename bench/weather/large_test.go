package weather

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/schema"
)

var (
	readers   = flag.Int("readers", 20_000, "readers of BenchmarkNewCollection")
	documents = flag.Int("documents", 2_000, "full index documents of BenchmarkTwentyMillion")
)

// BenchmarkNewCollection is a post to -readers timelines of each form, in a collection that has just begun: it takes 500
// writes a second at first.
func BenchmarkNewCollection(b *testing.B) {
	for b.Loop() {
		t := &table{out: os.Stdout}
		for _, form := range []struct {
			name string
			cfg  config.Functions
		}{
			{"items", config.Functions{Timeline: "items"}},
			{"buckets", config.Functions{Timeline: "buckets"}},
			{"ring", config.Functions{Timeline: "buckets", Bucket: 1, Cap: 1000}},
			{"days", config.Functions{Timeline: "days"}},
		} {
			b.Run("form="+form.name, func(b *testing.B) {
				form.cfg.RelationsOff = true
				s := start(b, options{functions: form.cfg})
				a := &author{id: "author", first: 0, all: *readers, each: schema.DefaultCapacity, timeline: true}
				s.load(a)
				kind := fmt.Sprintf("a post to %d timelines", a.all)
				t.add(b, "new collection, "+form.name, s.measure(func(ctx context.Context) { must(b, s.post(ctx, kind, a)) }), kind)
			})
		}
		must(b, t.print())
	}
}

// BenchmarkTwentyMillion is a post to -documents full index documents, while commits take as long as their index entries
// need: a second each. Its jobs run in one process, and in several.
func BenchmarkTwentyMillion(b *testing.B) {
	for b.Loop() {
		t := &table{out: os.Stdout}
		for _, workers := range []int{1, 3} {
			b.Run(fmt.Sprintf("processes=%d", workers), func(b *testing.B) {
				s := start(b, options{workers: workers})
				a := &author{id: "author", first: 0, all: *documents * schema.DefaultCapacity, each: schema.DefaultCapacity}
				s.load(a)
				kind := fmt.Sprintf("a post to %d followers", a.all)
				t.add(b, fmt.Sprintf("%d processes", workers), s.measure(func(ctx context.Context) { must(b, s.post(ctx, kind, a)) }), kind)
			})
		}
		must(b, t.print())
	}
}

// A small run of the same: what is measured is there.
func TestTimeToFeed(t *testing.T) {
	s := start(t, options{})
	a := &author{id: "author", first: 0, all: 30, each: 10}
	s.load(a)
	s.loadPosts(a, 3)
	s.rest()
	r := s.measure(func(ctx context.Context) {
		must(t, s.post(ctx, "posts", a))
		must(t, s.follow(ctx, "follows", a))
	})
	for _, kind := range []string{"posts", "follows"} {
		feed, never, bare := timesOf(r.samples, kind)
		if len(feed) != 1 || never != 0 || len(bare) != 1 || feed[0] <= 0 || bare[0] <= 0 || feed[0] > time.Minute {
			t.Errorf("%s: %v, %d never, bare %v", kind, feed, never, bare)
		}
	}
	if r.left != "" {
		t.Error(r.left)
	}
}

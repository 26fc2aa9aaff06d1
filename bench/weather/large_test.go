package weather

import (
	"context"
	"errors"
	"flag"
	"fmt"
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
// writes a second at first. Each thousandth reader asks.
func BenchmarkNewCollection(b *testing.B) {
	for b.Loop() {
		t := newTable()
		for _, form := range []struct {
			name string
			cfg  config.Functions
		}{
			{"items", config.Functions{Timeline: "items"}},
			{"buckets", config.Functions{Timeline: "buckets"}},
			{"ring", config.Functions{Timeline: "buckets", Bucket: 1, Cap: 1000}},
			{"days", config.Functions{Timeline: "days"}},
		} {
			each(b, "new collection, "+form.name, func(b *testing.B, what string, restarted bool) {
				form.cfg.RelationsOff = true
				a := &author{id: "author", all: *readers, each: schema.DefaultCapacity, timeline: true, asking: *readers / 1000}
				once(b, t, what, options{functions: form.cfg}, restarted, fmt.Sprintf("a post to %d timelines", a.all), a)
			})
		}
	}
}

// BenchmarkTwentyMillion is a post to -documents full index documents, while commits take as long as their index entries
// need: a second each. Its jobs run in one process, and in several. One reader asks: the emulator sorts millions of entries.
func BenchmarkTwentyMillion(b *testing.B) {
	for b.Loop() {
		t := newTable()
		for _, workers := range []int{1, 3} {
			each(b, fmt.Sprintf("%d processes", workers), func(b *testing.B, what string, restarted bool) {
				a := &author{id: "author", all: *documents * schema.DefaultCapacity, each: schema.DefaultCapacity, asking: 1}
				once(b, t, what, options{workers: workers}, restarted, fmt.Sprintf("a post to %d followers", a.all), a)
			})
		}
	}
}

// once measures one post. restarted restarts all instances when half of the readers have it.
func once(b *testing.B, t *table, what string, o options, restarted bool, kind string, a *author) {
	s := start(b, o)
	s.load(a)
	t.add(b, what, s.measure(func(ctx context.Context) error {
		if err := s.post(ctx, kind, a); err != nil || !restarted {
			return err
		}
		if !until(func() bool { unseen, all := s.watch.unseen(); return 2*unseen <= all }) {
			return errors.New("no restart: half of the readers never had the post")
		}
		return s.restart()
	}), kind)
}

// A small run of the same: what is measured is there.
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

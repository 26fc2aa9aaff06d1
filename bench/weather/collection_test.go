package weather

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"example.com/relationindex/schema"
)

var readers = flag.Int("readers", 20_000, "readers of BenchmarkNewCollection")

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
				s := start(b, options{functions: form.cfg, ramp: true})
				s.load(a)
				kind := fmt.Sprintf("a post to %d timelines", a.all)
				t.add(b, form.name, s.measure(func(ctx context.Context) error { return s.post(ctx, kind, a) }), kind)
			})
		}
	}
}

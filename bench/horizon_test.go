package bench

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/wire"
)

// BenchmarkHorizonFollow is a follow of an author with 1,000 posts, from the client's write
// to idle: 1,002 writes without a horizon, H + 2 with one, as no more than H are kept.
func BenchmarkHorizonFollow(b *testing.B) {
	const n = 1000
	for _, horizon := range []int{0, 20, 100, 400} {
		b.Run(fmt.Sprintf("H=%d", horizon), func(b *testing.B) {
			p := project(b, config.Functions{Horizon: horizon, InlineLimit: n}) // no job, of which there are more writes
			posts(b, p, "author", n)
			idle(b, p)
			follows(b, p.Client, "author", 1, 1)
			idle(b, p)
			want := int64(n + 2)
			if horizon > 0 {
				want = int64(horizon + 2)
			}
			follower := 0
			operation(b, p, func() {
				follower++
				write(b, p.Client, fmt.Sprintf("users/author/followers/one-%d", follower), map[string]any{"createdAt": firestore.ServerTimestamp})
			}, func(used wire.Counts) {
				if used.Writes != want {
					b.Errorf("a follow cost %v, want %d writes", used, want)
				}
			})
		})
	}
}

// BenchmarkHorizonPosts are 1,000 posts of an author with k index documents who keeps 100:
// each costs at most two reads and k deletes more than without a horizon.
func BenchmarkHorizonPosts(b *testing.B) {
	const n, horizon = 1000, 100
	for _, k := range []int{1, 3} {
		b.Run(fmt.Sprintf("H=%d/k=%d", horizon, k), func(b *testing.B) {
			for b.Loop() {
				without, with := postsOf(b, n, 0, k), postsOf(b, n, horizon, k)
				each := func(of func(wire.Counts) int64) float64 { return float64(of(with)-of(without)) / n }
				reads := each(func(c wire.Counts) int64 { return c.Reads })
				deletes := each(func(c wire.Counts) int64 { return c.Deletes })
				b.ReportMetric(reads, "reads-more/post")
				b.ReportMetric(deletes, "deletes-more/post")
				b.ReportMetric(each(func(c wire.Counts) int64 { return c.Writes }), "writes-more/post")
				b.ReportMetric(0, "ns/op")
				if reads > 2 || deletes > float64(k) {
					b.Errorf("a post costs %.3f reads and %.3f deletes more, want at most 2 and %d", reads, deletes, k)
				}
			}
		})
	}
}

// postsOf writes n posts, one after the other, of an author who has as many posts as the
// horizon keeps and k index documents, and returns what the functions used.
func postsOf(b *testing.B, n, horizon, k int) wire.Counts {
	b.Helper()
	p := project(b, config.Functions{Horizon: horizon, Capacity: 1})
	posts(b, p, "author", 100)
	follows(b, p.Client, "author", k, 1)
	idle(b, p)
	before := p.Meter.Counts()
	for i := range n {
		write(b, p.Client, fmt.Sprintf("posts/new%04d", i), map[string]any{"userId": "author", "createdAt": time.Date(2026, 2, 1, 0, i, 0, 0, time.UTC)})
		idle(b, p)
	}
	return p.Meter.Counts().Minus(before)
}

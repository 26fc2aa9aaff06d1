package bench

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
)

// BenchmarkOnePost is one post by an author with k index documents, from the
// client's write to idle. Exactly k relations, and at most 2k+5 reads.
func BenchmarkOnePost(b *testing.B) {
	for _, k := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			p := project(b, schema.Config{NoOwnPosts: true, Capacity: 1})
			follows(b, p.Client, "author", k, 16)
			idle(b, p)
			n := 0
			operation(b, p, func() {
				n++
				write(b, p.Client, fmt.Sprintf("posts/post-%d", n), map[string]any{"userId": "author", "createdAt": time.Now()})
			}, func(used wire.Counts) {
				if used.Writes != int64(k) || used.Reads > int64(2*k+5) {
					b.Errorf("a post cost %v, want %d writes and at most %d reads", used, k, 2*k+5)
				}
			})
		})
	}
}

// BenchmarkOneFollow is one follow of an author with n posts and an open index
// document, from the client's write to idle. At most n+2 writes and 2n+8 reads.
// One follow comes right after the other, so each waits for the pace of sync.
func BenchmarkOneFollow(b *testing.B) {
	for _, n := range []int{0, 20, 100} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			p := project(b, schema.Config{NoOwnPosts: true})
			posts(b, p, "author", n)
			follows(b, p.Client, "author", 1, 1)
			idle(b, p)
			follower := 0
			operation(b, p, func() {
				follower++
				write(b, p.Client, fmt.Sprintf("users/author/followers/one-%d", follower), map[string]any{"createdAt": firestore.ServerTimestamp})
			}, func(used wire.Counts) {
				if used.Writes > int64(n+2) || used.Reads > int64(2*n+8) {
					b.Errorf("a follow cost %v, want at most %d writes and %d reads", used, n+2, 2*n+8)
				}
			})
		})
	}
}

// operation measures do until idle, as often as the benchmark wants, and what
// it costs.
func operation(b *testing.B, p *local.Project, do func(), check func(wire.Counts)) {
	var total wire.Counts
	rounds := 0
	for b.Loop() {
		before := p.Meter.Counts()
		do()
		idle(b, p)
		used := p.Meter.Counts().Minus(before)
		check(used)
		total.Writes += used.Writes
		total.Reads += used.Reads
		rounds++
	}
	b.ReportMetric(float64(total.Writes)/float64(rounds), "writes/op")
	b.ReportMetric(float64(total.Reads)/float64(rounds), "reads/op")
}

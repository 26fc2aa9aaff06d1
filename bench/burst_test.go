package bench

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/local"
	"example.com/relationindex/schema"
)

const (
	burstFollows = 10_000
	burstPosts   = 20
)

// BenchmarkBurst is what happens when an author becomes popular: 10,000
// follows of one author who has 20 posts, as fast as clients can write them,
// through real triggers, until every relation has every follower.
func BenchmarkBurst(b *testing.B) {
	for b.Loop() {
		p := project(b, schema.Config{NoOwnPosts: true})
		posts(b, p, "author", burstPosts)
		idle(b, p)
		before := p.Meter.Counts()
		started := time.Now()
		follows(b, p.Client, "author", burstFollows, 64)
		written := time.Since(started)
		idle(b, p)
		took := time.Since(started)
		used := p.Meter.Counts().Minus(before)
		b.ReportMetric(burstFollows/took.Seconds(), "follows/s")
		b.ReportMetric(burstFollows/written.Seconds(), "client-writes/s")
		b.ReportMetric(float64(used.Writes)/burstFollows, "writes/follow")
		b.ReportMetric(float64(used.Reads)/burstFollows, "reads/follow")
		b.ReportMetric(0, "ns/op")
		if perFollow := float64(used.Writes) / burstFollows; perFollow > 1+0.1+burstPosts/25.0 {
			b.Errorf("%.3f writes a follow, want at most 1 edge + 0.1 index + %d/25 relations", perFollow, burstPosts)
		}
		checkBurst(b, p)
	}
}

// checkBurst compares every relation with the followers.
func checkBurst(b *testing.B, p *local.Project) {
	b.Helper()
	docs, err := p.Client.Collection("_relations").Documents(b.Context()).GetAll()
	if err != nil {
		b.Fatal(err)
	}
	if len(docs) != burstPosts {
		b.Fatalf("%d relations, want %d", len(docs), burstPosts)
	}
	for _, doc := range docs {
		if got := len(doc.Data()["followers"].([]any)); got != burstFollows {
			b.Errorf("%s has %d followers, want %d", doc.Ref.Path, got, burstFollows)
		}
	}
}

func posts(b *testing.B, p *local.Project, author string, n int) {
	b.Helper()
	for i := range n {
		write(b, p.Client, fmt.Sprintf("posts/post%02d", i), map[string]any{
			"userId": author, "createdAt": time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC),
		})
	}
}

// follows writes n follower documents, parallel at a time, as clients would.
func follows(b *testing.B, client *firestore.Client, author string, n, parallel int) {
	b.Helper()
	group, ctx := errgroup.WithContext(b.Context())
	group.SetLimit(parallel)
	for i := range n {
		group.Go(func() error {
			_, err := client.Doc(fmt.Sprintf("users/%s/followers/follower-%019d", author, i)).
				Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
}

func write(b *testing.B, client *firestore.Client, path string, data map[string]any) {
	b.Helper()
	if _, err := client.Doc(path).Set(b.Context(), data); err != nil {
		b.Fatal(err)
	}
}

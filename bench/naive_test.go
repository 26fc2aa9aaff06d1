package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/schema"
)

const (
	naiveFollows = 300
	naiveAtOnce  = 16
)

// BenchmarkBurstNaive is what a first version does: one transaction for each
// event reads the index document, appends the follower and writes it back with
// the edge. It does not even bring the relations up to date. 300 follows of
// one author, 16 at once; a transaction is tried five times, as the client
// library does.
func BenchmarkBurstNaive(b *testing.B) {
	for b.Loop() {
		p := project(b, schema.Config{NoOwnPosts: true})
		index := p.Client.Doc("users/author/followers_index/00001")
		if _, err := index.Set(b.Context(), map[string]any{"followers": []string{}, "count": 0}); err != nil {
			b.Fatal(err)
		}
		var group errgroup.Group
		group.SetLimit(naiveAtOnce)
		failed := make(chan error, naiveFollows)
		started := time.Now()
		for i := range naiveFollows {
			group.Go(func() error {
				follower := fmt.Sprintf("follower-%019d", i)
				failed <- naiveFollow(b.Context(), p.Client, index, follower)
				return nil
			})
		}
		_ = group.Wait()
		took := time.Since(started)
		failures := 0
		for range naiveFollows {
			if err := <-failed; err != nil {
				failures++
			}
		}
		b.ReportMetric(float64(naiveFollows-failures)/took.Seconds(), "follows/s")
		b.ReportMetric(float64(failures), "failed-of-300")
		b.ReportMetric(0, "ns/op")
	}
}

func naiveFollow(ctx context.Context, client *firestore.Client, index *firestore.DocumentRef, follower string) error {
	return client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		doc, err := tx.Get(index)
		if err != nil {
			return err
		}
		followers := append(doc.Data()["followers"].([]any), follower)
		if err := tx.Set(index, map[string]any{"followers": followers, "count": len(followers)}); err != nil {
			return err
		}
		return tx.Set(client.Doc("users/"+follower+"/following/author"), map[string]any{"indexId": index.ID})
	})
}

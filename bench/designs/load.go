package designs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/testkit"
	"example.com/relationindex/schema"
)

// LoadFollowers writes author's index documents, of capacity ids each, and the user document that names
// them, and no follower documents: what a post looks at, without the follows
// that would have made it. Not for an author who has any.
func (d *RelationIndex) LoadFollowers(ctx context.Context, author string, ids []string, capacity int) error {
	var indexes []string
	for part := range slices.Chunk(ids, capacity) {
		index := fmt.Sprintf("%05d", len(indexes)+1)
		indexes = append(indexes, index)
		size := 0
		for _, id := range part {
			size += len(id) + 1
		}
		document := d.client.Collection(users).Doc(author).Collection("followers_index").Doc(index)
		_, err := document.Set(ctx, schema.IndexDocument{
			Followers: part, Count: len(part), SizeBytes: size, Version: 1, Changes: []schema.Change{}, Backfilled: true,
		})
		if err != nil {
			return err
		}
	}
	_, err := d.client.Collection(users).Doc(author).Set(ctx, map[string]any{
		"followers_index": indexes, "latestFollowersIndex": indexes[len(indexes)-1],
	})
	return err
}

// LoadFollowers writes the follower documents of an author without posts.
func (d *FanOutOnWrite) LoadFollowers(ctx context.Context, author string, ids []string) error {
	since := map[string]any{"createdAt": time.Now()}
	for part := range slices.Chunk(ids, followersPage) {
		err := testkit.WriteEach(ctx, d.client, part, func(w *firestore.BulkWriter, id string) (*firestore.BulkWriterJob, error) {
			return w.Set(d.follower(author, id), since)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

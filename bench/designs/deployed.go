package designs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/devhost/local"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/schema"
)

// deployed is the real system: the client writes what clients write, and the functions do the
// rest, behind the triggers of the emulator.
type deployed struct {
	*local.Project
	client *firestore.Client
	meter  *wire.Meter // of the client; Project has the functions'
}

// newDeployed is the system on a project of the machine that nothing has used. cfg configures
// the functions; they copy the text of posts in any case.
func newDeployed(ctx context.Context, machine *local.Machine, project string, cfg config.Functions, logger *slog.Logger) (*deployed, error) {
	if !slices.Contains(cfg.CopiedFields, "text") {
		cfg.CopiedFields = append(slices.Clone(cfg.CopiedFields), "text")
	}
	p, err := machine.Project(ctx, project, cfg, logger)
	if err != nil {
		return nil, err
	}
	client, meter, err := metered(ctx, project, machine.Emulator.FirestoreHost())
	return &deployed{p, client, meter}, err
}

// Follow writes the follower document.
func (d *deployed) Follow(ctx context.Context, follower, author string) error {
	_, err := d.follower(author, follower).Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
	return err
}

// Unfollow deletes the follower document.
func (d *deployed) Unfollow(ctx context.Context, follower, author string) error {
	_, err := d.follower(author, follower).Delete(ctx)
	return err
}

// Post writes the post.
func (d *deployed) Post(ctx context.Context, p Post) error {
	_, err := d.client.Collection(posts).Doc(p.ID).Set(ctx, postData(p))
	return err
}

// Edit writes the post.
func (d *deployed) Edit(ctx context.Context, p Post) error { return d.Post(ctx, p) }

// Delete deletes the post.
func (d *deployed) Delete(ctx context.Context, p Post) error {
	_, err := d.client.Collection(posts).Doc(p.ID).Delete(ctx)
	return err
}

// Settle waits until the functions have nothing to do.
func (d *deployed) Settle(ctx context.Context) error { return d.Idle(ctx) }

// Counts is what the client and the functions have been billed so far.
func (d *deployed) Counts() wire.Counts { return sum(d.meter.Counts(), d.Meter.Counts()) }

func (d *deployed) follower(author, follower string) *firestore.DocumentRef {
	return d.client.Collection(users).Doc(author).Collection(followers).Doc(follower)
}

// LoadFollowers writes author's index documents, of capacity ids each, and the user document that names
// them, and no follower documents: what a post looks at, without the follows
// that would have made it. Not for an author who has any.
func (d *deployed) LoadFollowers(ctx context.Context, author string, ids []string, capacity int) error {
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

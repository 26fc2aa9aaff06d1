package designs

import (
	"context"
	"log/slog"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/devhost/local"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/wire"
)

// RelationIndex is the real system: the client writes what clients write, and
// the functions do the rest, behind the triggers of the emulator.
type RelationIndex struct {
	*local.Project
	client *firestore.Client
	meter  *wire.Meter // of the client; Project has the functions'
}

// NewRelationIndex is the design on a project of the machine that nothing has
// used. cfg configures the functions; they copy the text of posts in any case.
func NewRelationIndex(ctx context.Context, machine *local.Machine, project string, cfg config.Functions, logger *slog.Logger) (*RelationIndex, error) {
	if !slices.Contains(cfg.CopiedFields, "text") {
		cfg.CopiedFields = append(slices.Clone(cfg.CopiedFields), "text")
	}
	p, err := machine.Project(ctx, project, cfg, logger)
	if err != nil {
		return nil, err
	}
	client, meter, err := metered(ctx, project, machine.Emulator.FirestoreHost())
	return &RelationIndex{p, client, meter}, err
}

// Follow writes the follower document.
func (d *RelationIndex) Follow(ctx context.Context, follower, author string) error {
	_, err := d.follower(author, follower).Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
	return err
}

// Unfollow deletes the follower document.
func (d *RelationIndex) Unfollow(ctx context.Context, follower, author string) error {
	_, err := d.follower(author, follower).Delete(ctx)
	return err
}

// Post writes the post.
func (d *RelationIndex) Post(ctx context.Context, p Post) error {
	_, err := d.client.Collection(posts).Doc(p.ID).Set(ctx, postData(p))
	return err
}

// Edit writes the post.
func (d *RelationIndex) Edit(ctx context.Context, p Post) error { return d.Post(ctx, p) }

// Delete deletes the post.
func (d *RelationIndex) Delete(ctx context.Context, p Post) error {
	_, err := d.client.Collection(posts).Doc(p.ID).Delete(ctx)
	return err
}

// Feed is the query of feed.Query, which clients make.
func (d *RelationIndex) Feed(ctx context.Context, reader string, limit int) ([]Post, error) {
	return readPosts(ctx, d.client.Collection("_relations").Where("followers", "array-contains", reader).
		OrderBy("createdAt", firestore.Desc).Limit(limit))
}

// Settle waits until the functions have nothing to do.
func (d *RelationIndex) Settle(ctx context.Context) error { return d.Idle(ctx) }

// Counts is what the client and the functions have been billed so far.
func (d *RelationIndex) Counts() wire.Counts { return sum(d.meter.Counts(), d.Meter.Counts()) }

func (d *RelationIndex) follower(author, follower string) *firestore.DocumentRef {
	return d.client.Collection(users).Doc(author).Collection(followers).Doc(follower)
}

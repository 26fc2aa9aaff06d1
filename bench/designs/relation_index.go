package designs

import (
	"context"
	"log/slog"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/devhost/local"
	"example.com/relationindex/internal/runtime/config"
)

// RelationIndex is the delivery by relations.
type RelationIndex struct{ *deployed }

// NewRelationIndex is the design on a project of the machine that nothing has used.
func NewRelationIndex(ctx context.Context, machine *local.Machine, project string, cfg config.Functions, logger *slog.Logger) (RelationIndex, error) {
	d, err := newDeployed(ctx, machine, project, cfg, logger)
	return RelationIndex{d}, err
}

// Feed is the query of feed.Query, which clients make.
func (d RelationIndex) Feed(ctx context.Context, reader string, limit int) ([]Post, error) {
	return readPosts(ctx, d.client.Collection("_relations").Where("followers", "array-contains", reader).
		OrderBy("createdAt", firestore.Desc).Limit(limit))
}

//go:build long

package delivery

import (
	"context"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/deliverytest"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// Relations keep every promise of a delivery. An author's index documents are small, so
// that a crowd fills several.
func TestRelationsKeepPromises(t *testing.T) {
	t.Parallel()
	deliverytest.Suite{Groups: true, Open: func(t *testing.T, p deliverytest.Process) deliverytest.System {
		x, err := social.New(p.Client, p.Engine, schema.Config{NoOwnPosts: true,
			Capacity: 2, InlineLimit: deliverytest.Inline, Range: 2, Logger: p.Logger,
		})
		if err != nil {
			t.Fatal(err)
		}
		return deliverytest.System{
			Graph: x.Graph, Accounts: x.Accounts, Block: onBlock(t, x),
			Feed: func(ctx context.Context, reader string) ([]deliverytest.Seen, error) {
				return feedOf(ctx, p.Client, reader)
			},
			Verify: func(ctx context.Context) (wrong []string, err error) {
				_, err = verify.New(x).All(ctx, func(v verify.Violation) { wrong = append(wrong, v.String()) }, nil)
				return wrong, err
			},
		}
	}}.Run(t)
}

// feedOf is the query that clients make. A reader in the audience and in `to` has a post in
// two relations, the direct one last.
func feedOf(ctx context.Context, client *firestore.Client, reader string) ([]deliverytest.Seen, error) {
	docs, err := client.Collection(names.Relations).Where("followers", "array-contains", reader).
		OrderBy("createdAt", firestore.Desc).Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	var feed []deliverytest.Seen
	for _, doc := range docs {
		var relation schema.Relation
		if err := doc.DataTo(&relation); err != nil {
			return nil, err
		}
		if n := len(feed); n > 0 && relation.IndexID == schema.DirectIndex && feed[n-1].Post == relation.PostID {
			continue
		}
		feed = append(feed, deliverytest.Seen{Post: relation.PostID, At: relation.CreatedAt})
	}
	return feed, nil
}

//go:build long

package delivery

import (
	"context"
	"testing"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/clients"
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
				feed, err := clients.ReadFeed(ctx, p.Client, reader, 1000)
				var seen []deliverytest.Seen
				for _, e := range feed {
					seen = append(seen, deliverytest.Seen{Post: e.Post, At: e.CreatedAt})
				}
				return seen, err
			},
			Verify: func(ctx context.Context) (wrong []string, err error) {
				_, err = verify.New(x).All(ctx, func(v verify.Violation) { wrong = append(wrong, v.String()) }, nil)
				return wrong, err
			},
		}
	}}.Run(t)
}

package horizon

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/schema"
)

// Begin stores the horizon of a database that has no posts yet, unless one is stored. Call relationindex horizon for
// others.
func Begin(ctx context.Context, client *firestore.Client, horizon time.Duration) error {
	if horizon == 0 {
		return nil
	}
	_, err := schema.HorizonDocument(client).Create(ctx, schema.Horizon{Feed: horizon, Kept: horizon}.Fields())
	if status.Code(err) == codes.AlreadyExists {
		err = nil
	}
	return err
}

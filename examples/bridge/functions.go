package bridge

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"sync"

	"cloud.google.com/go/firestore"
	"github.com/GoogleCloudPlatform/functions-framework-go/functions"
	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"
)

// The functions, for triggers google.cloud.firestore.document.v1.written of posts/{id} and users/{id}.
func init() {
	functions.CloudEvent("BridgePost", handler(Post))
	functions.CloudEvent("BridgeUser", handler(User))
}

var client = sync.OnceValues(func() (*firestore.Client, error) {
	return firestore.NewClient(context.Background(), firestore.DetectProjectID)
})

// handler calls do with the id of an event's document. After an error the event is delivered again.
func handler(do func(ctx context.Context, db *firestore.Client, id string) error) func(context.Context, event.Event) error {
	return func(ctx context.Context, e event.Event) error {
		id, err := idOf(e)
		if err != nil {
			return err
		}
		db, err := client()
		if err != nil {
			return err
		}
		return do(ctx, db, id)
	}
}

// idOf returns the id of an event's document. The event's attributes have it too, but escaped.
func idOf(e event.Event) (string, error) {
	var data firestoredata.DocumentEventData
	if err := proto.Unmarshal(e.Data(), &data); err != nil {
		return "", fmt.Errorf("event %s: %w", e.ID(), err)
	}
	return path.Base(cmp.Or(data.GetValue().GetName(), data.GetOldValue().GetName())), nil
}

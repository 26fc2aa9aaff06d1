package bridge

import (
	"context"
	"strings"
	"sync"

	"cloud.google.com/go/firestore"
	"github.com/GoogleCloudPlatform/functions-framework-go/functions"
	"github.com/cloudevents/sdk-go/v2/event"
)

// The functions, for triggers google.cloud.firestore.document.v1.written of posts/{id} and users/{id}.
func init() {
	functions.CloudEvent("BridgePost", handler(Post))
	functions.CloudEvent("BridgeUser", handler(User))
}

var client = sync.OnceValues(func() (*firestore.Client, error) {
	return firestore.NewClient(context.Background(), firestore.DetectProjectID)
})

// handler calls do with the id of the document that an event is about. After an error the event comes again.
func handler(do func(ctx context.Context, db *firestore.Client, id string) error) func(context.Context, event.Event) error {
	return func(ctx context.Context, e event.Event) error {
		db, err := client()
		if err != nil {
			return err
		}
		return do(ctx, db, e.Subject()[strings.LastIndex(e.Subject(), "/")+1:]) // documents/posts/{id}
	}
}

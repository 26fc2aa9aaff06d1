//go:build long

package processes_test

import (
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/local/processes"
	"example.com/relationindex/testkit"
)

// The documents that a TTL policy would delete are deleted, and no others.
func documentsExpire(t *testing.T, system *processes.System) {
	client := system.Client()
	for id, at := range map[string]any{"gone": time.Now().Add(-time.Hour), "later": time.Now().Add(time.Hour), "never": nil} {
		set(t, client.Doc("_relations/"+id), map[string]any{"expireAt": at})
	}
	wantGone(t, client.Doc("_relations/gone"))
	for _, id := range []string{"later", "never"} {
		doc := client.Doc("_relations/" + id)
		if _, err := doc.Get(t.Context()); err != nil {
			t.Error(err)
		}
		remove(t, doc)
	}
}

// wantGone waits until a document is gone, for some minutes at most.
func wantGone(t *testing.T, doc *firestore.DocumentRef) {
	t.Helper()
	testkit.Until(t, "the end of "+doc.Path, func() bool {
		_, err := doc.Get(t.Context())
		if err != nil && status.Code(err) != codes.NotFound {
			t.Fatal(err)
		}
		return err != nil
	})
}

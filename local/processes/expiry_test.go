//go:build long

package processes_test

import (
	"testing"
	"time"

	"example.com/relationindex/local/processes"
)

// The documents that a TTL policy would delete are deleted, and no others.
func documentsExpire(t *testing.T, system *processes.System) {
	client := system.Client()
	for id, at := range map[string]any{"gone": time.Now().Add(-time.Hour), "later": time.Now().Add(time.Hour), "never": nil} {
		set(t, client.Doc("_relations/"+id), map[string]any{"expireAt": at})
	}
	changes := client.Doc("_relations/gone").Snapshots(t.Context())
	defer changes.Stop()
	for {
		doc, err := changes.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !doc.Exists() {
			break
		}
	}
	for _, id := range []string{"later", "never"} {
		doc := client.Doc("_relations/" + id)
		if _, err := doc.Get(t.Context()); err != nil {
			t.Error(err)
		}
		remove(t, doc)
	}
}

package sending_test

import (
	"context"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/sendtest"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// The suite of deliveries, on one that writes a note for each reader.
func TestSending(t *testing.T) {
	t.Parallel()
	sendtest.Suite{Delivery: testkit.Notes(), Told: told, Reads: 1, Writes: 1}.Run(t)
}

// told returns who has a note of a post, as often as it was written.
func told(ctx context.Context, client *firestore.Client, post string) (readers []string, err error) {
	docs, err := client.Collection("notes").Where("post", "==", post).Documents(ctx).GetAll()
	for _, doc := range docs {
		for range doc.Data()["times"].(int64) {
			readers = append(readers, doc.Data()["reader"].(string))
		}
	}
	return readers, err
}

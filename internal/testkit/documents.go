package testkit

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Collections are the ids of all that the system keeps documents in.
var Collections = []string{"_relations", "following", "_functions", "followers_index", "posts", "followers", "users", "blocked", "_tombstones"}

// Documents are the documents of a database by their paths, one collection after
// the other. Each collection that has been read is told to read, unless nil.
func Documents(tb testing.TB, client *firestore.Client, read func(collection string)) map[string]map[string]any {
	tb.Helper()
	all := map[string]map[string]any{}
	for _, collection := range Collections {
		docs, err := client.CollectionGroup(collection).Documents(tb.Context()).GetAll()
		if err != nil {
			tb.Fatal(err)
		}
		for _, doc := range docs {
			_, path, _ := strings.Cut(doc.Ref.Path, "/documents/")
			all[path] = doc.Data()
		}
		if read != nil {
			read(collection)
		}
	}
	return all
}

// Write writes documents by their paths, all at once. The reference in a job is
// made one of this database.
func Write(tb testing.TB, client *firestore.Client, documents map[string]map[string]any) {
	tb.Helper()
	err := WriteEach(tb.Context(), client, slices.Collect(maps.Keys(documents)), func(w *firestore.BulkWriter, path string) (*firestore.BulkWriterJob, error) {
		data := documents[path]
		if ref, ok := data["lastDoc"].(*firestore.DocumentRef); ok && ref != nil {
			_, below, _ := strings.Cut(ref.Path, "/documents/")
			data = maps.Clone(data) // others write it too
			data["lastDoc"] = client.Doc(below)
		}
		return w.Set(client.Doc(path), data)
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// Number is the field n of a document; 0 if the document is not there.
func Number(doc *firestore.DocumentSnapshot, err error) (int64, error) {
	if status.Code(err) == codes.NotFound {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := doc.DataAt("n")
	if err != nil {
		return 0, err
	}
	return n.(int64), nil
}

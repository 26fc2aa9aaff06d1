package testkit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/schema"
)

// Collections are the ids of all collections in which the system keeps documents.
var Collections = []string{"_relations", "timeline", "following", "_functions", "followers_index", "notifications", "posts", "comments", "likes", "followers", "users", "blocked", "requests", "_tombstones", "_purging"}

// Documents returns the documents of a database by path. It reads one collection after the other, and
// calls read after each, unless read is nil.
func Documents(tb testing.TB, client *firestore.Client, read func(collection string)) map[string]map[string]any {
	tb.Helper()
	all, err := ReadDocuments(tb.Context(), client, Collections, read)
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// ReadDocuments is like Documents, for the given collections, and may be called in any goroutine.
func ReadDocuments(ctx context.Context, client *firestore.Client, collections []string, read func(collection string)) (map[string]map[string]any, error) {
	all := map[string]map[string]any{}
	for _, collection := range collections {
		docs, err := client.CollectionGroup(collection).Documents(ctx).GetAll()
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", collection, err)
		}
		for _, doc := range docs {
			_, path, _ := strings.Cut(doc.Ref.Path, "/documents/")
			all[path] = doc.Data()
		}
		if read != nil {
			read(collection)
		}
	}
	return all, nil
}

// Write writes documents by their paths, all at once. A reference in a job is changed to one in this
// database.
func Write(tb testing.TB, client *firestore.Client, documents map[string]map[string]any) {
	tb.Helper()
	if err := WriteDocuments(tb.Context(), client, documents); err != nil {
		tb.Fatal(err)
	}
}

// WriteDocuments is like Write, and may be called in any goroutine.
func WriteDocuments(ctx context.Context, client *firestore.Client, documents map[string]map[string]any) error {
	return WriteEach(ctx, client, slices.Collect(maps.Keys(documents)), func(w *firestore.BulkWriter, path string) (*firestore.BulkWriterJob, error) {
		data := documents[path]
		if ref, ok := data["lastDoc"].(*firestore.DocumentRef); ok && ref != nil {
			_, below, _ := strings.Cut(ref.Path, "/documents/")
			data = maps.Clone(data) // concurrent tests share the map
			data["lastDoc"] = client.Doc(below)
		}
		return w.Set(client.Doc(path), data)
	})
}

// Texts calls see with every text in a value that the client library decoded. These include field
// names and document paths.
func Texts(value any, see func(string)) {
	switch v := value.(type) {
	case string:
		see(v)
	case *firestore.DocumentRef:
		if v != nil {
			see(v.Path)
		}
	case []any:
		for _, e := range v {
			Texts(e, see)
		}
	case map[string]any:
		for name, e := range v {
			see(name)
			Texts(e, see)
		}
	}
}

// Number returns the field n of a document; 0 if the document does not exist.
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

// Clear deletes all documents of a project's database on the emulator at host.
func Clear(ctx context.Context, host, project string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, "http://"+host+"/emulator/v1/projects/"+project+"/databases/(default)/documents", nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("clear %s: %w", project, err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("clear %s: %s", project, answer.Status)
	}
	return nil
}

// Profiles gives people profiles, without which no post reaches them by name.
func Profiles(t *testing.T, client *firestore.Client, people ...string) {
	t.Helper()
	for _, u := range people {
		if _, err := client.Doc("users/"+u).Set(t.Context(), map[string]any{"name": u}, firestore.MergeAll); err != nil {
			t.Fatal(err)
		}
	}
}

// WriteEach writes one document for each item, and waits for the result of each write. BulkWriter.End
// alone does not wait for retried writes. The client library sizes the requests: by bytes, and at most
// twenty writes.
func WriteEach[T any](ctx context.Context, client *firestore.Client, items []T, write func(*firestore.BulkWriter, T) (*firestore.BulkWriterJob, error)) error {
	w := client.BulkWriter(ctx)
	var jobs []*firestore.BulkWriterJob
	var errs []error
	for _, item := range items {
		job, err := write(w, item)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		jobs = append(jobs, job)
	}
	w.End()
	for _, job := range jobs {
		if _, err := job.Results(); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("bulk write: %w", err)
	}
	return ctx.Err()
}

// CopyOf makes an app without functions, and writes the given documents of another app into it.
func CopyOf(t testing.TB, cfg schema.Config, documents map[string]map[string]any) *App {
	t.Helper()
	a := OpenApp(t, cfg)
	Write(t, a.Client, documents)
	return a
}

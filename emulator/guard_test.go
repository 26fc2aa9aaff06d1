package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/guard"
)

const guardIndexes = `{"indexes": [
  {"collectionGroup": "c", "fields": [{"fieldPath": "tags", "arrayConfig": "CONTAINS"}, {"fieldPath": "at", "order": "DESCENDING"}]}
]}`

// guarded is a client of a database of the test's own, behind g.
func guarded(t *testing.T, g *guard.Guard) *firestore.Client {
	t.Helper()
	connection, err := g.Connect(shared(t).FirestoreHost())
	if err != nil {
		t.Fatal(err)
	}
	client, err := firestore.NewClient(t.Context(), projectOf(t), connection)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(client.Close(), g.Close()); err != nil {
			t.Error(err)
		}
	})
	return client
}

func parseGuard(t *testing.T, file string) *guard.Guard {
	t.Helper()
	g, err := guard.Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A query that has no index fails in every way that a client can ask it; the
// same query with its index has an answer.
func TestQueriesThroughARealClient(t *testing.T) {
	t.Parallel()
	g := parseGuard(t, guardIndexes)
	var told []error
	g.Refused = func(err error) { told = append(told, err) }
	client := guarded(t, g)
	ctx := t.Context()
	if _, err := client.Doc("c/1").Set(ctx, map[string]any{"tags": []string{"me"}, "at": time.Now(), "x": 1}); err != nil {
		t.Fatal(err)
	}
	ways := map[string]func(firestore.Query) error{
		"documents": func(q firestore.Query) error {
			_, err := q.Documents(ctx).GetAll()
			return err
		},
		"first": func(q firestore.Query) error {
			it := q.Limit(1).Documents(ctx)
			defer it.Stop()
			_, err := it.Next()
			return err
		},
		"count": func(q firestore.Query) error {
			_, err := q.NewAggregationQuery().WithCount("n").Get(ctx)
			return err
		},
		"transaction": func(q firestore.Query) error {
			return client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
				_, err := tx.Documents(q).GetAll()
				return err
			})
		},
		"snapshots": func(q firestore.Query) error {
			it := q.Snapshots(ctx)
			defer it.Stop()
			_, err := it.Next()
			return err
		},
	}
	for name, ask := range ways {
		if err := ask(client.Collection("c").Where("tags", "array-contains", "me").OrderBy("at", firestore.Desc)); err != nil {
			t.Errorf("%s: refused: %v", name, err)
		}
		before := len(told)
		err := ask(client.Collection("c").Where("tags", "array-contains", "me").OrderBy("at", firestore.Asc))
		if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "c where tags array-contains ? order by at") {
			t.Errorf("%s: %v, want FailedPrecondition", name, err)
		}
		if len(told) != before+1 {
			t.Errorf("%s: Refused was told %d times, want once", name, len(told)-before)
		}
	}
}

// The guard knows what a document becomes: it reads what is there.
func TestCommitsThroughARealClient(t *testing.T) {
	t.Parallel()
	client := guarded(t, parseGuard(t, `{}`))
	ctx := t.Context()
	elements := func(from, n int) []any {
		all := make([]any, n)
		for i := range all {
			all[i] = fmt.Sprintf("%06d", from+i)
		}
		return all
	}
	doc := client.Doc("c/d")
	wants := func(what string, err error, limit string) {
		t.Helper()
		switch {
		case limit == "" && err != nil:
			t.Errorf("%s: refused: %v", what, err)
		case limit != "" && (status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "c/d: ") || !strings.Contains(err.Error(), limit)):
			t.Errorf("%s: %v, want InvalidArgument with c/d and %q", what, err, limit)
		}
	}
	_, err := doc.Create(ctx, map[string]any{"ids": elements(0, 20_000)})
	wants("20,000 elements", err, "40,002, more than 40,000")
	_, err = doc.Create(ctx, map[string]any{"ids": elements(0, 19_990)})
	wants("19,990 elements", err, "")
	_, err = doc.Update(ctx, []firestore.Update{{Path: "ids", Value: firestore.ArrayUnion(elements(19_990, 20)...)}})
	wants("20 more", err, "more than 40,000")
	_, err = doc.Update(ctx, []firestore.Update{{Path: "ids", Value: firestore.ArrayUnion(elements(0, 20)...)}})
	wants("20 that are there", err, "")
	_, err = doc.Update(ctx, []firestore.Update{{Path: "ids", Value: firestore.ArrayRemove(elements(0, 10)...)}, {Path: "note.inside", Value: 1}})
	wants("10 fewer", err, "")
	_, err = doc.Set(ctx, map[string]any{"text": strings.Repeat("x", 1_000_000)}, firestore.MergeAll)
	wants("a text beside them", err, "bytes of the document, 1,1")
	err = client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		snap, err := tx.Get(doc)
		if err != nil {
			return err
		}
		return tx.Update(snap.Ref, []firestore.Update{{Path: "ids", Value: firestore.ArrayUnion(elements(30_000, 20)...)}})
	})
	wants("in a transaction", err, "more than 40,000")
	bulk := client.BulkWriter(ctx)
	job, err := bulk.Set(doc, map[string]any{"ids": elements(0, 20_000)})
	if err != nil {
		t.Fatal(err)
	}
	bulk.End()
	_, err = job.Results()
	wants("in bulk", err, "more than 40,000")
	docs := client.Collection("c").Documents(ctx)
	defer docs.Stop()
	got, err := docs.Next()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Data()["ids"].([]any)); n != 19_980 {
		t.Errorf("%d elements are there, want the 19,980 of what was taken", n)
	}
	if _, err := docs.Next(); !errors.Is(err, iterator.Done) {
		t.Errorf("more documents: %v", err)
	}
}

// A test of a program finds here the index that it forgot. Usually the text is
// that of the deployed firestore.indexes.json.
func Example_guard() {
	ctx := context.Background()
	e, err := started() // emulator.Start
	if err != nil {
		log.Fatal(err) // says how to get the emulator
	}
	g, err := guard.Parse([]byte(`{"indexes": []}`))
	if err != nil {
		log.Fatal(err)
	}
	connection, err := g.Connect(e.FirestoreHost())
	if err != nil {
		log.Fatal(err)
	}
	client, err := firestore.NewClient(ctx, "demo-example", connection)
	if err != nil {
		log.Fatal(err)
	}

	_, err = client.Collection("posts").Where("userId", "==", "ada").OrderBy("createdAt", firestore.Desc).Documents(ctx).GetAll()
	fmt.Println(status.Code(err))
	fmt.Println(status.Convert(err).Message())

	for _, end := range []func() error{client.Close, g.Close} {
		if err := end(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// FailedPrecondition
	// posts where userId == ? order by createdAt desc: the query requires an index that firestore.indexes.json does not have: add to its "indexes": {"collectionGroup":"posts","queryScope":"COLLECTION","fields":[{"fieldPath":"userId","order":"ASCENDING"},{"fieldPath":"createdAt","order":"DESCENDING"}]}
}

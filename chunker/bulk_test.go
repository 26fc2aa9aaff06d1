package chunker_test

import (
	"context"
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/testkit"
)

// A concurrent write to a document that the job is changing is not lost, and
// the job still changes the document.
func TestUpdateKeepsConcurrentChanges(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	client, err := connect(ctx, testkit.ProjectID(t))
	if err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, client, map[string]map[string]any{"notes/a": {"text": "old"}, "notes/b": {"text": "old"}})
	calls := 0
	meanwhile := func() {
		testkit.NoError(t, testkit.WriteDocuments(ctx, client, map[string]map[string]any{"notes/a": {"text": "new"}}))
		if _, err := client.Doc("notes/b").Delete(ctx); err != nil {
			t.Error(err)
		}
	}
	engine := chunker.New(client, chunker.Options{})
	query := func(job chunker.Job) (firestore.Query, error) { return bulk.Query(client, job) }
	engine.Register(bulk.Update("append", 1, query, func(_ context.Context, _ chunker.Job, doc *firestore.DocumentSnapshot) ([]firestore.Update, error) {
		if calls++; calls == 1 {
			meanwhile()
		}
		return []firestore.Update{{Path: "text", Value: fmt.Sprint(doc.Data()["text"], "!")}}, nil
	}))
	if err := engine.Enqueue(ctx, chunker.Spec{ID: "j", Kind: "append", Collection: "notes"}); err != nil {
		t.Fatal(err)
	}
	if job := deliver(ctx, engine, "j"); job.State != chunker.Done {
		t.Errorf("job is %s with error %+v, want done", job.State, job.Error)
	}
	docs, err := client.GetAll(ctx, []*firestore.DocumentRef{client.Doc("notes/a"), client.Doc("notes/b")})
	if err != nil {
		t.Fatal(err)
	}
	if got := docs[0].Data()["text"]; got != "new!" {
		t.Errorf("text is %v, want new!", got)
	}
	if docs[1].Exists() {
		t.Error("a document that was deleted meanwhile is there again")
	}
}

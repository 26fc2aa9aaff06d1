package chunker_test

import (
	"context"
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
)

func (b *bench) set(path string, data map[string]any) {
	b.t.Helper()
	if _, err := b.client.Doc(path).Set(b.t.Context(), data); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) data(path string) map[string]any {
	b.t.Helper()
	docs, err := b.client.GetAll(b.t.Context(), []*firestore.DocumentRef{b.client.Doc(path)})
	if err != nil {
		b.t.Fatal(err)
	}
	return docs[0].Data()
}

// What somebody writes while the job has a document in hand is not lost, and
// the document is changed all the same.
func TestBulkUpdateDoesNotOverwriteWhatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set("notes/a", map[string]any{"text": "old"})
	b.set("notes/b", map[string]any{"text": "old"})
	calls := 0
	meanwhile := func() {
		b.set("notes/a", map[string]any{"text": "new"})
		if _, err := b.client.Doc("notes/b").Delete(t.Context()); err != nil {
			t.Error(err)
		}
	}
	query := func(job chunker.Job) (firestore.Query, error) { return job.Query(b.client) }
	b.Register(chunker.BulkUpdate("append", 1, query, func(_ context.Context, _ chunker.Job, doc *firestore.DocumentSnapshot) ([]firestore.Update, error) {
		if calls++; calls == 1 {
			meanwhile()
		}
		return []firestore.Update{{Path: "text", Value: fmt.Sprint(doc.Data()["text"], "!")}}, nil
	}))
	b.enqueue(chunker.Spec{ID: "j", Kind: "append", Collection: "notes"})
	b.deliver("j")
	b.wantState("j", chunker.Done)
	if got := b.data("notes/a")["text"]; got != "new!" {
		t.Errorf("text is %v, want new!", got)
	}
	if b.data("notes/b") != nil {
		t.Error("a document that was deleted meanwhile is there again")
	}
}

package chunker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

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

func (b *bench) query(job chunker.Job) (firestore.Query, error) { return job.Query(b.client) }

// label gives documents the job's label.
func label(_ context.Context, job chunker.Job, doc *firestore.DocumentSnapshot) ([]firestore.Update, error) {
	if doc.Data()["label"] == job.Args["label"] {
		return nil, nil
	}
	return []firestore.Update{{Path: "label", Value: job.Args["label"]}}, nil
}

func TestBulkUpdateChangesWhatTheQueryFinds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for n := range 8 {
		b.set(fmt.Sprintf("notes/n%d", n), map[string]any{"owner": []string{"ada", "bob"}[n%2]})
		b.set(fmt.Sprintf("users/u%d/notes/m", n), map[string]any{"owner": "ada"})
	}
	b.enqueue(chunker.Spec{ID: "one", Kind: "label", Collection: "notes", Field: "owner", Value: "ada", Args: map[string]string{"label": "x"}})
	b.deliver("one")
	if job := b.wantState("one", chunker.Done); job.Done != 4 || job.Total == nil || *job.Total != 4 {
		t.Errorf("%d of %v done, want 4 of 4", job.Done, job.Total)
	}
	for n := range 8 {
		if got, want := b.data(fmt.Sprintf("notes/n%d", n))["label"], map[bool]any{true: "x", false: nil}[n%2 == 0]; got != want {
			t.Errorf("n%d has label %v, want %v", n, got, want)
		}
	}
	b.enqueue(chunker.Spec{ID: "all", Kind: "label", Collection: "**/notes", Field: "owner", Value: "ada", Args: map[string]string{"label": "y"}})
	b.deliver("all")
	if job := b.wantState("all", chunker.Done); job.Done != 12 {
		t.Errorf("%d done in all collections, want 12", job.Done)
	}
	if got := b.data("users/u3/notes/m")["label"]; got != "y" {
		t.Errorf("label is %v, want y", got)
	}
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
	b.Register(chunker.BulkUpdate("append", 1, b.query, func(_ context.Context, _ chunker.Job, doc *firestore.DocumentSnapshot) ([]firestore.Update, error) {
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

func TestBulkDeleteRemovesWhatTheQueryFindsAndAsksForNamesOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Register(chunker.BulkDelete("names", 4, func(job chunker.Job) (firestore.Query, error) {
		q, err := job.Query(b.client)
		return q.Select(), err
	}))
	b.enqueue(chunker.Spec{ID: "j", Kind: "names", Collection: "items", Splits: []string{"i5"}})
	b.deliver("j~00")
	b.deliver("j~01")
	if job := b.wantState("j", chunker.Done); job.Done != items || *job.Total != items {
		t.Errorf("%d of %v done, want %d", job.Done, job.Total, items)
	}
	left, err := b.client.Collection("items").Documents(t.Context()).GetAll()
	if err != nil || len(left) != 0 {
		t.Errorf("%d documents are left (%v)", len(left), err)
	}
}

func TestBulkJobsOverACollectionThatCannotBe(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, collection := range []string{"", "users/u", "**/", "**/a/b"} {
		b.enqueue(chunker.Spec{ID: "j", Kind: "sweep", Collection: collection, Generation: "of " + collection})
		b.deliver("j")
		if job := b.wantState("j", chunker.Failed); job.Attempt != 1 {
			t.Errorf("%q: %d attempts, want 1", collection, job.Attempt)
		}
	}
}

func TestAPrivateJobForgetsWhomItWasAbout(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit", Private: true, Value: "ada", Args: map[string]string{"user": "ada"}})
	b.fail = func(string) error { return errors.New("no") }
	if err := b.run("j", b.plenty()); err != nil {
		t.Fatal(err)
	}
	if job := b.wantState("j", chunker.Queued); job.Args["user"] != "ada" {
		t.Errorf("before its end: %+v", job)
	}
	b.fail = func(string) error { return nil }
	b.clock.move(time.Minute)
	b.deliver("j")
	if job := b.wantState("j", chunker.Done); job.Args != nil || job.Value != nil {
		t.Errorf("at its end: %+v", job)
	}
}

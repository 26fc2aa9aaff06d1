package sendtest

import (
	"context"
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// A delivery reads whole documents, even where functions read only some fields: the post, and the
// app's documents in collections with the names of ours.
func (s Suite) itsOwnReads(t *testing.T) {
	t.Parallel()
	reading := s.Delivery
	reading.Bring = func(ctx context.Context, db *firestore.Client, tx *firestore.Transaction, post schema.NewPost, readers []string) error {
		for path, field := range map[string]string{"posts/" + post.ID: "title", "users/" + readers[0] + "/settings/mine": "off"} {
			for name, get := range map[string]func() (*firestore.DocumentSnapshot, error){
				"in the transaction": func() (*firestore.DocumentSnapshot, error) { return tx.Get(db.Doc(path)) },
				"outside":            func() (*firestore.DocumentSnapshot, error) { return db.Doc(path).Get(ctx) },
			} {
				doc, err := get()
				if err != nil {
					return err
				}
				if _, err := doc.DataAt(field); err != nil {
					return fmt.Errorf("%s, read %s: %w", path, name, err)
				}
			}
		}
		return s.Delivery.Bring(ctx, db, tx, post, readers)
	}
	w := s.newWorld(t, schema.Config{NoOwnPosts: true, ReaderSettings: true, Deliveries: []schema.Delivery{reading}})
	w.crowd("ada", []string{"r1"})
	w.set("users/r1/settings/mine", map[string]any{"off": true})
	w.set("posts/p1", map[string]any{"userId": "ada", "audience": "ada", "title": "x", "createdAt": firestore.ServerTimestamp})
	w.event(w.process, "p1")
	w.must(w.work(t.Context()))
	w.wantReaders("p1", "r1")
}

// Functions that do not have the delivery yet leave its job to functions that do. Functions with the
// delivery switched off end the job.
func (s Suite) functionsWithoutIt(t *testing.T) {
	t.Parallel()
	off := s.Delivery
	off.Bring = nil
	for name, c := range map[string]struct {
		then []schema.Delivery
		ends bool
	}{
		"not there yet": {[]schema.Delivery{}, false},
		"off":           {[]schema.Delivery{off}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := s.newWorld(t, schema.Config{NoOwnPosts: true})
			w.crowd("ada", []string{"r1"})
			w.write("p1")
			w.event(w.process, "p1")
			w.opts.Deliveries = c.then
			if err := w.open().work(t.Context()); (err == nil) != c.ends {
				t.Errorf("the job ends with %v", err)
			}
			w.wantReaders("p1")
			w.opts.Deliveries = []schema.Delivery{s.Delivery}
			w.must(w.open().work(t.Context()))
			if c.ends {
				w.wantReaders("p1")
			} else {
				w.wantReaders("p1", "r1")
			}
		})
	}
}

// An account is deleted even if the query of its documents fails.
func (s Suite) aQueryThatFails(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{NoOwnPosts: true})
	broken := s.Delivery
	broken.Forget = func(db *firestore.Client, account string) firestore.Query {
		return db.Collection("none").Where("a", "==", account).OrderBy("b", firestore.Asc).Where("c", ">", 1) // needs an index
	}
	w.crowd("ada", []string{"r1"})
	w.write("p1")
	w.opts.Deliveries = []schema.Delivery{broken}
	w.process = w.open()
	_, err := w.client.Doc("users/ada").Delete(t.Context())
	w.must(err)
	w.must(w.Accounts.Purge(t.Context(), "ada", "deleted", "event"))
	if err := w.work(t.Context()); err == nil {
		t.Error("the purge ends, without what the delivery wrote")
	}
	for _, path := range []string{"posts/p1", "users/ada/followers_index/00001"} {
		if doc, _ := w.client.Doc(path).Get(t.Context()); doc.Exists() {
			t.Errorf("%s is there", path)
		}
	}
	w.opts.Deliveries = []schema.Delivery{s.Delivery}
	w.process = w.open()
	w.must(w.work(t.Context()))
}

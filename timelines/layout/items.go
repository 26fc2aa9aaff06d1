package layout

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema"
)

// Items has a document for each entry, users/{r}/timeline/{post}. An entry costs a write, a
// page of n entries n reads. The order is that of at.
type Items struct{}

var _ Layout = Items{}

// Add writes a document for each entry. Unless all are fresh, it costs a read for each, and
// a write for those that are missing.
//
// Twice, it writes the same again. It leaves fields of others in the document alone.
func (Items) Add(ctx context.Context, db *schema.Database, tx *firestore.Transaction, adds []Addition) error {
	var look []*firestore.DocumentRef
	for _, a := range adds {
		for _, e := range a.Entries {
			if !a.Fresh {
				look = append(look, db.Timeline(a.Reader).Doc(e.Post))
			}
		}
	}
	there := map[string]bool{}
	if len(look) > 0 {
		docs, err := db.Client.GetAll(only(ctx, fieldAt), look)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			there[doc.Ref.Path] = doc.Exists()
		}
	}
	for _, a := range adds {
		for _, e := range a.Entries {
			ref := db.Timeline(a.Reader).Doc(e.Post)
			if there[ref.Path] {
				continue
			}
			data, paths := e.merging(), []firestore.FieldPath{{FieldPosts}, {FieldAccounts}}
			data[FieldPosts], data[FieldAccounts] = []string{e.Post}, e.accounts()
			for _, name := range entryFields() {
				paths = append(paths, firestore.FieldPath{name})
			}
			if err := tx.Set(ref, data, firestore.Merge(paths...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Read is a method of [Layout].
func (Items) Read(snap *firestore.DocumentSnapshot) (Document, bool) { return readItem(snap), true }

// Fields is a method of [Layout].
func (Items) Fields(string) []firestore.FieldPath { return nil }

// Holds is true: the entry says itself when the post was made.
func (Items) Holds(Document, Entry, time.Time) bool { return true }

// Change costs a delete or a write.
func (Items) Change(_ *schema.Database, tx *firestore.Transaction, doc Document, c Edits) error {
	unchanged := firestore.LastUpdateTime(doc.Updated)
	if slices.Contains(c.Gone, doc.Ref.ID) {
		return tx.Delete(doc.Ref, unchanged)
	}
	e := doc.Entries[doc.Ref.ID]
	if now, ok := c.Now[doc.Ref.ID]; ok {
		e = now
	}
	return tx.Update(doc.Ref, append(e.updates(),
		firestore.Update{Path: FieldPosts, Value: []string{doc.Ref.ID}},
		firestore.Update{Path: FieldAccounts, Value: e.accounts()}), unchanged)
}

// Mend is a method of [Layout].
func (Items) Mend(context.Context, *schema.Database, string) error { return nil }

// Held is little: the documents are read without their fields.
func (Items) Held() int { return 1 << 10 }

// WholePage is a method of [Layout].
func (Items) WholePage(limit int) int { return limit }

// Check is a method of [Layout].
func (Items) Check([]Document) map[int]string { return nil }

// Page costs a read for each entry.
func (Items) Page(ctx context.Context, db *schema.Database, reader string, after Position, limit int) ([]Entry, bool, error) {
	q := db.Timeline(reader).OrderBy(fieldAt, firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).Limit(limit)
	if after.Post != "" {
		q = q.StartAfter(after.At, after.Post)
	}
	var page []Entry
	n := 0
	for snap, err := range store.Documents(ctx, q) {
		if err != nil {
			return nil, false, err
		}
		n++
		e := readItem(snap).Entries[snap.Ref.ID]
		e.Post = snap.Ref.ID
		page = append(page, e)
	}
	return page, n == limit, nil
}

package layout

import (
	"context"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema"
)

// Days has a document for each day of posts, users/{r}/timeline/{yyyy-mm-dd of createdAt,
// UTC}. An entry costs a write, and a page of a feed one to three reads. The order is that
// of at. Firestore rejects an entry in a day of 1 MiB; it is left out.
type Days struct{}

var _ Layout = Days{}

// dayOf returns the id of the document that holds an entry: "2026-11-23".
func dayOf(e Entry) string { return time.UnixMicro(e.At).UTC().Format(time.DateOnly) }

// Add writes once to each day of a reader's entries. Unless the entries are fresh, it costs
// a read for each such day, and a write where an entry is missing.
//
// Twice, it writes the same again.
func (Days) Add(ctx context.Context, db *schema.Database, tx *firestore.Transaction, adds []Addition) error {
	days := map[string]map[string]Entry{} // by path
	refs := map[string]*firestore.DocumentRef{}
	var look []*firestore.DocumentRef
	for _, a := range adds {
		for _, e := range a.Entries {
			ref := db.Timeline(a.Reader).Doc(dayOf(e))
			if days[ref.Path] == nil {
				days[ref.Path], refs[ref.Path] = map[string]Entry{}, ref
				if !a.Fresh {
					look = append(look, ref)
				}
			}
			days[ref.Path][e.Post] = e
		}
	}
	if len(look) > 0 {
		docs, err := db.Client.GetAll(only(ctx, FieldPosts), look)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			for _, post := range readDocument(doc).Posts {
				delete(days[doc.Ref.Path], post)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(days)) {
		if len(days[path]) == 0 {
			continue
		}
		if err := setDay(tx, refs[path], days[path]); err != nil {
			return err
		}
	}
	return nil
}

func setDay(tx *firestore.Transaction, ref *firestore.DocumentRef, entries map[string]Entry) error {
	all := map[string]any{}
	paths := []firestore.FieldPath{{fieldDay}, {FieldPosts}, {FieldAccounts}}
	for post, e := range entries {
		all[post] = e.merging()
		for _, name := range entryFields() {
			paths = append(paths, firestore.FieldPath{fieldEntries, post, name})
		}
	}
	return tx.Set(ref, map[string]any{
		fieldDay: ref.ID, fieldEntries: all,
		FieldPosts:    firestore.ArrayUnion(store.Values(postsOf(entries))...),
		FieldAccounts: firestore.ArrayUnion(store.Values(AccountsOf(entries))...),
	}, firestore.Merge(paths...))
}

// Read is a method of [Layout].
func (Days) Read(snap *firestore.DocumentSnapshot) (Document, bool) {
	_, err := time.Parse(time.DateOnly, snap.Ref.ID)
	return readDocument(snap), err == nil
}

// Fields is a method of [Layout].
func (Days) Fields(post string) []firestore.FieldPath {
	return []firestore.FieldPath{{fieldEntries, post}, {FieldPosts}}
}

// Holds reports whether the entry is of that day: a server may move createdAt.
func (Days) Holds(doc Document, e Entry, _ time.Time) bool { return dayOf(e) == doc.Ref.ID }

// Change costs a write, or a delete if no entry is left.
func (Days) Change(_ *schema.Database, tx *firestore.Transaction, doc Document, c Edits) error {
	unchanged := firestore.LastUpdateTime(doc.Updated)
	if doc.emptied(c) {
		return tx.Delete(doc.Ref, unchanged)
	}
	updates, _ := doc.updates(c)
	return tx.Update(doc.Ref, updates, unchanged)
}

// Mend is a method of [Layout].
func (Days) Mend(context.Context, *schema.Database, string) error { return nil }

// Held is for the ids of a day's posts.
func (Days) Held() int { return 16 << 10 }

// WholePage bounds the memory for days of up to 1 MiB.
func (Days) WholePage(limit int) int { return min(limit, 8) }

// Check is a method of [Layout].
func (Days) Check([]Document) map[int]string { return nil }

// daysAtOnce is how many days a page reads at a time.
const daysAtOnce = 3

// Page costs a read for each day that it needs, three at a time.
func (l Days) Page(ctx context.Context, db *schema.Database, reader string, after Position, limit int) ([]Entry, bool, error) {
	var page []Entry
	q := db.Timeline(reader).OrderBy(fieldDay, firestore.Desc)
	if after.Post != "" {
		q = q.Where(fieldDay, "<=", dayOf(Entry{At: after.At}))
	}
	for {
		docs, err := q.Limit(daysAtOnce).Documents(ctx).GetAll()
		if err != nil {
			return nil, false, err
		}
		for _, snap := range docs {
			if doc, ok := l.Read(snap); ok {
				page = append(page, after.beyond(sorted(doc.Entries))...)
			}
		}
		if len(page) > limit {
			return page[:limit], true, nil
		}
		if len(docs) < daysAtOnce || len(page) == limit {
			return page, len(docs) == daysAtOnce, nil
		}
		q = q.StartAfter(docs[len(docs)-1])
	}
}

package layout

import (
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema"
)

// Document is a document of a timeline as it was read. Fields that are missing or cannot
// be decoded are zero.
type Document struct {
	Ref     *firestore.DocumentRef
	Exists  bool
	Updated time.Time
	Entries map[string]Entry // by post
	Posts   []string         // the field posts
	Named   []string         // the field accounts
	Whole   bool             // false: only one post's entry was read

	sequence, total    int64 // of buckets
	openedAt, closedAt time.Time
}

// Reader returns whose timeline it is.
func (d Document) Reader() string { return d.Ref.Parent.Parent.ID }

// readDocument decodes a document of buckets or days.
func readDocument(snap *firestore.DocumentSnapshot) Document {
	doc := Document{Ref: snap.Ref, Exists: snap.Exists(), Updated: snap.UpdateTime, Entries: map[string]Entry{}, Whole: true}
	if !doc.Exists {
		return doc
	}
	data := schema.FieldsOf(snap, fieldEntries, FieldPosts, FieldAccounts, fieldSequence, fieldTotal, fieldOpenedAt, fieldClosedAt)
	entries, _ := data[fieldEntries].(map[string]any)
	for post, value := range entries {
		fields, _ := value.(map[string]any)
		doc.Entries[post] = readEntry(fields)
	}
	doc.Posts, doc.Named = texts(data[FieldPosts]), texts(data[FieldAccounts])
	doc.sequence, _ = data[fieldSequence].(int64)
	doc.total, _ = data[fieldTotal].(int64)
	doc.openedAt, _ = data[fieldOpenedAt].(time.Time)
	doc.closedAt, _ = data[fieldClosedAt].(time.Time)
	return doc
}

// readItem decodes a document of items.
func readItem(snap *firestore.DocumentSnapshot) Document {
	doc := Document{Ref: snap.Ref, Exists: snap.Exists(), Updated: snap.UpdateTime, Entries: map[string]Entry{}, Whole: true}
	if doc.Exists {
		doc.Entries[snap.Ref.ID] = readEntry(schema.FieldsOf(snap, entryFields()...))
		data := schema.FieldsOf(snap, FieldPosts, FieldAccounts)
		doc.Posts, doc.Named = texts(data[FieldPosts]), texts(data[FieldAccounts])
	}
	return doc
}

// texts returns the texts of an array.
func texts(value any) (ids []string) {
	values, _ := value.([]any)
	for _, v := range values {
		if id, ok := v.(string); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// sorted returns entries, newest first.
func sorted(entries map[string]Entry) []Entry {
	return slices.SortedFunc(maps.Values(entries), newestFirst)
}

// dataOf returns the fields that every document with a map of entries has.
func dataOf(entries map[string]Entry) map[string]any {
	all := make(map[string]any, len(entries))
	for post, e := range entries {
		all[post] = e.data()
	}
	return map[string]any{fieldEntries: all, FieldPosts: postsOf(entries), FieldAccounts: AccountsOf(entries)}
}

func postsOf(entries map[string]Entry) []string {
	return append([]string{}, slices.Sorted(maps.Keys(entries))...)
}

// AccountsOf returns the accounts that entries name, sorted.
func AccountsOf(entries map[string]Entry) []string {
	ids := []string{}
	for _, e := range entries {
		ids = append(ids, e.accounts()...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func bytesOf(entries map[string]Entry) (size int) {
	for _, e := range entries {
		size += e.bytes()
	}
	return size
}

// Edits are changes of a document's entries.
type Edits struct {
	Gone []string         // posts whose entries go
	Now  map[string]Entry // what other entries become
	Mend bool             // entries stay, but posts or accounts do not name them
}

// Empty reports whether there is nothing to change.
func (c Edits) Empty() bool { return len(c.Gone) == 0 && len(c.Now) == 0 && !c.Mend }

// updates returns the updates of a document with a map of entries, and how many entries
// go. Of a whole document, they make posts and accounts exact. Otherwise they leave ids in
// accounts that nothing may name any more: who looks for an account then corrects that.
func (d Document) updates(c Edits) (updates []firestore.Update, removed int) {
	left := maps.Clone(d.Entries)
	for _, post := range c.Gone {
		if _, ok := left[post]; ok {
			updates = append(updates, firestore.Update{FieldPath: []string{fieldEntries, post}, Value: firestore.Delete})
			delete(left, post)
			removed++
		}
	}
	var accounts []string
	for _, post := range slices.Sorted(maps.Keys(c.Now)) {
		left[post] = c.Now[post]
		accounts = append(accounts, c.Now[post].accounts()...)
		updates = append(updates, c.Now[post].updates(fieldEntries, post)...)
	}
	if d.Whole {
		return append(updates,
			firestore.Update{Path: FieldPosts, Value: postsOf(left)},
			firestore.Update{Path: FieldAccounts, Value: AccountsOf(left)}), removed
	}
	if len(c.Gone) > 0 {
		updates = append(updates, firestore.Update{Path: FieldPosts, Value: firestore.ArrayRemove(store.Values(c.Gone)...)})
	}
	if len(accounts) > 0 {
		updates = append(updates, firestore.Update{Path: FieldAccounts, Value: firestore.ArrayUnion(store.Values(accounts)...)})
	}
	return updates, removed
}

// emptied reports whether edits leave the document without entries.
func (d Document) emptied(c Edits) bool {
	posts := d.Posts
	if d.Whole {
		posts = postsOf(d.Entries)
	}
	return !slices.ContainsFunc(posts, func(post string) bool { return !slices.Contains(c.Gone, post) })
}

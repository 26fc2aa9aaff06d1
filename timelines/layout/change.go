package layout

import (
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// Edits are changes of a document's entries.
type Edits struct {
	Gone []string         // posts whose entries are removed from this document
	Move []string         // some of Gone: posts that belong in another document of the timeline
	Now  map[string]Entry // changed entries, by post
	Mend bool             // posts or accounts do not match the entries, which stay
}

// Editing returns the edits that turn a document's entries into the results of want; false removes the entry.
// If at changes so that the entry belongs in another document, the entry is removed here. The caller has added
// it to the other document before. An entry stays in open while it is newer than all closed ones, and in a
// closed bucket while it is between the oldest and the newest there.
func (d Document) Editing(want func(Entry) (now Entry, ok bool)) Edits {
	c := Edits{Now: map[string]Entry{}}
	for _, id := range slices.Sorted(maps.Keys(d.Entries)) {
		e := d.Entries[id]
		e.Post = id
		now, ok := want(e)
		switch {
		case !ok:
			c.Gone = append(c.Gone, id)
		case d.moves(e, now):
			c.Gone, c.Move = append(c.Gone, id), append(c.Move, id)
		case !now.Same(d.Entries[id]):
			c.Now[id] = now
		}
	}
	return c
}

// Empty reports whether there is nothing to change.
func (c Edits) Empty() bool { return len(c.Gone) == 0 && len(c.Now) == 0 && !c.Mend }

// Changed is a document as it was read, and its edits.
type Changed struct {
	Document
	Edits
}

// Change writes edits of documents, on condition that the documents have not changed since they were read. It
// costs a write or a delete for each. If entries of a reader's closed buckets are removed, it costs a write of
// open, whose total changes in the same commit.
//
// A closed bucket stays when it is empty, so that a first closed bucket always exists. open is deleted with
// its last entry if no bucket was ever closed.
func Change(db *schema.Database, tx *firestore.Transaction, changes []Changed) error {
	open, gone := map[string]Changed{}, map[string]int{} // by reader
	for _, c := range changes {
		unchanged := firestore.LastUpdateTime(c.Updated)
		updates, removed := c.updates(c.Edits)
		if c.shape == bucket {
			gone[c.Reader()] += removed
		}
		var err error
		switch {
		case c.shape == bucket && c.Ref.ID == OpenID:
			open[c.Reader()] = c
		case c.shape != bucket && c.emptied():
			err = tx.Delete(c.Ref, unchanged)
		default:
			err = tx.Update(c.Ref, updates, unchanged)
		}
		if err != nil {
			return err
		}
	}
	for _, reader := range slices.Sorted(maps.Keys(gone)) {
		if err := changeOpen(db, tx, reader, open[reader], gone[reader]); err != nil {
			return err
		}
	}
	return nil
}

// Mark marks the entry of a post that its reader hides, or removes the mark, on condition that the document
// has not changed since it was read. It costs a write.
func Mark(tx *firestore.Transaction, doc Document, post string, hidden bool) error {
	path, value := firestore.FieldPath{fieldMark}, any(firestore.Delete)
	if doc.shape != item {
		path = firestore.FieldPath{fieldEntries, post, fieldMark}
	}
	if hidden {
		value = true
	}
	return tx.Update(doc.Ref, []firestore.Update{{FieldPath: path, Value: value}}, firestore.LastUpdateTime(doc.Updated))
}

// changeOpen writes open of a reader after the removal of gone entries. Without edits of open itself, the write does not
// require an unchanged open.
func changeOpen(db *schema.Database, tx *firestore.Transaction, reader string, c Changed, gone int) error {
	switch updates, _ := c.updates(c.Edits); {
	case c.Ref == nil && gone == 0:
		return nil
	case c.Ref == nil:
		return tx.Update(db.Timeline(reader).Doc(OpenID), []firestore.Update{{Path: FieldTotal, Value: firestore.Increment(-gone)}})
	case c.Sequence <= 1 && c.emptied():
		return tx.Delete(c.Ref, firestore.LastUpdateTime(c.Updated))
	default:
		return tx.Update(c.Ref, append(updates, firestore.Update{Path: FieldTotal, Value: c.Total - int64(gone)}), firestore.LastUpdateTime(c.Updated))
	}
}

// updates returns the updates of a document, and the number of entries that they remove from a map. In a whole
// document, they make posts and accounts exact. Otherwise, accounts may keep ids that no entry names any more.
// A later query for such an account corrects this.
func (d Document) updates(c Edits) (updates []firestore.Update, removed int) {
	if d.shape == item {
		return d.updatesOfItem(c), 0
	}
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

func (d Document) updatesOfItem(c Edits) []firestore.Update {
	e, updates := d.Entries[d.Ref.ID], []firestore.Update(nil)
	if now, ok := c.Now[d.Ref.ID]; ok {
		if moved := now.CreatedAt() - e.CreatedAt(); !d.expireAt.IsZero() && moved != 0 { // expireAt moves with createdAt
			updates = append(updates, firestore.Update{Path: fieldExpireAt, Value: storable(d.expireAt.Add(time.Duration(moved) * time.Microsecond))})
		}
		updates = append(updates, firestore.Update{Path: fieldCreated, Value: now.storedCreated()})
		e = now
	}
	return append(append(updates, e.updates()...),
		firestore.Update{Path: FieldPosts, Value: []string{d.Ref.ID}},
		firestore.Update{Path: FieldAccounts, Value: e.accounts()})
}

// emptied reports whether its edits leave the document without entries.
func (c Changed) emptied() bool {
	posts := c.Posts
	if c.shape == item {
		posts = []string{c.Ref.ID}
	} else if c.Whole {
		posts = postsOf(c.Entries)
	}
	return !slices.ContainsFunc(posts, func(post string) bool { return !slices.Contains(c.Gone, post) })
}

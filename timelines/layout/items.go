package layout

import (
	"context"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// Items has a document for each entry, users/{r}/timeline/{post}. An entry costs a write, and a page of n
// entries costs n reads. Items are ordered by at.
type Items struct {
	// Cap is the least number of a reader's newest entries to keep; 0: all. Some new entries delete the
	// entries beyond the cap: see Trim.
	Cap int
	// Expire is how long after createdAt Firestore deletes an entry, by a TTL policy; 0: never.
	Expire time.Duration
	// Ranked says that at only grows: see [Lift].
	Ranked bool
}

var _ Layout = Items{}

// Add writes a document for each entry. Unless all entries are fresh, it costs a read for each, and a write
// for each missing one.
//
// With a cap, one entry in trimEvery, and at most one of an Addition, also has the cost of Trim. An optional Addition
// leaves out entries older than all items of a full timeline. This costs a read for every thousand items, and one.
//
// A second call writes the same entries again.
func (l Items) Add(ctx context.Context, db *schema.Database, tx *firestore.Transaction, adds []Addition) error {
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
		docs, err := db.Client.GetAll(only(ctx, FieldAt), look)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			there[doc.Ref.Path] = doc.Exists()
		}
	}
	for _, a := range adds {
		entries := slices.DeleteFunc(slices.Clone(a.Entries), func(e Entry) bool {
			return there[db.Timeline(a.Reader).Doc(e.Post).Path] || l.Expired(e)
		})
		if a.Optional && l.Cap > 0 && len(entries) > 0 {
			var err error
			if entries, err = l.fitting(ctx, db, a.Reader, entries); err != nil {
				return err
			}
		}
		trimmed := l.Cap == 0
		for _, e := range entries {
			if !trimmed && due(a.Reader, e.Post) {
				trimmed = true
				if _, err := l.Trim(ctx, db, tx, a.Reader, e.Post); err != nil {
					return err
				}
			}
			if err := l.set(tx, db.Timeline(a.Reader).Doc(e.Post), e); err != nil {
				return err
			}
		}
	}
	return nil
}

// set writes an item whole. If the item exists and a comment may have raised its at, set replaces only the
// other fields.
func (l Items) set(tx *firestore.Transaction, ref *firestore.DocumentRef, e Entry) error {
	data := e.data()
	data[FieldPosts], data[FieldAccounts] = []string{e.Post}, e.accounts()
	if l.Expire > 0 {
		data[fieldExpireAt] = expiry(l.Expire, e)
	}
	if e.CreatedAt() != e.At {
		data[fieldCreated] = e.Created
	}
	if !l.Ranked {
		return tx.Set(ref, data)
	}
	maps.Copy(data, e.merging())
	data[FieldAt] = firestore.FieldTransformMaximum(e.At)
	if !e.Hidden {
		data[fieldMark] = firestore.Delete
	}
	var paths []firestore.FieldPath
	for name := range data {
		paths = append(paths, firestore.FieldPath{name})
	}
	return tx.Set(ref, data, firestore.Merge(paths...))
}

// Lift raises at of the items that exist and have a lower at. It costs a read for each item, and a write for
// each lower one. A second call, or a call after a higher lift, changes nothing. A lift does not delay expiry:
// the first lift of an item stores its createdAt, by which the item expires. The write requires an unchanged
// item.
func Lift(ctx context.Context, db *schema.Database, tx *firestore.Transaction, items []*firestore.DocumentRef, at int64) error {
	docs, err := db.Client.GetAll(only(ctx, fieldPost, FieldPosts, FieldAt, fieldCreated), items)
	if err != nil {
		return err
	}
	for _, snap := range docs {
		doc := Read(snap)
		e := doc.Entries[snap.Ref.ID]
		if !doc.Exists || doc.shape != item || e.At >= at {
			continue
		}
		updates, asRead := []firestore.Update{{Path: FieldAt, Value: firestore.FieldTransformMaximum(at)}}, []firestore.Precondition(nil)
		if e.Created == 0 {
			updates, asRead = append(updates, firestore.Update{Path: fieldCreated, Value: e.At}), []firestore.Precondition{firestore.LastUpdateTime(doc.Updated)}
		}
		if err := tx.Update(snap.Ref, updates, asRead...); err != nil {
			return err
		}
	}
	return nil
}

// Mend is a method of [Layout].
func (Items) Mend(context.Context, *schema.Database, string) error { return nil }

// Held is small: the documents are read without their fields.
func (Items) Held(bool) int { return 1 << 10 }

// trimEvery is the average number of added entries between two trims.
const trimEvery = 25

// due reports whether adding an entry trims the timeline.
func due(reader, post string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(reader + "/" + post))
	return h.Sum32()%trimEvery == 0
}

// TrimmedAtOnce is the most entries of one reader that a transaction deletes.
const TrimmedAtOnce = 100

// Trim deletes a reader's oldest entries beyond the cap, on condition that they are unchanged, and returns
// their number. If the coming entry already exists, Trim deletes nothing: the first delivery of the event has
// trimmed.
//
// Trim costs a read for a coming entry, one for every thousand entries of the reader, and a read and a delete
// for each entry beyond the cap. Two concurrent trims delete the same entries, and one of them fails. So they
// never leave fewer entries than the cap.
func (l Items) Trim(ctx context.Context, db *schema.Database, tx *firestore.Transaction, reader, coming string) (int, error) {
	docs, err := l.oldest(ctx, db, reader, coming, func(n int64) int64 { return min(n-int64(l.Cap), TrimmedAtOnce) })
	if err != nil {
		return 0, err
	}
	for _, doc := range docs {
		if err := tx.Delete(doc.Ref, firestore.LastUpdateTime(doc.UpdateTime)); err != nil {
			return 0, err
		}
	}
	return len(docs), nil
}

// oldest returns a reader's oldest items: most(n) of all n items. The count and the items are from one
// snapshot. If the item coming already exists, oldest returns none.
func (l Items) oldest(ctx context.Context, db *schema.Database, reader, coming string, most func(n int64) int64) (docs []*firestore.DocumentSnapshot, err error) {
	// Documents of other layouts have no such field.
	q := db.Timeline(reader).OrderBy(FieldAt, firestore.Asc)
	err = db.Client.RunTransaction(outside{ctx}, func(ctx context.Context, tx *firestore.Transaction) error { //nolint:contextcheck // outside{ctx} ends with ctx
		docs = nil
		if coming != "" {
			if snap, err := store.GetMaybe(tx, db.Timeline(reader).Doc(coming)); err != nil || snap.Exists() {
				return err
			}
		}
		n, err := bulk.CountIn(ctx, tx, q)
		if limit := most(n); err == nil && limit > 0 {
			docs, err = tx.Documents(q.Limit(int(limit)).Select(fieldPost, FieldAt)).GetAll()
		}
		return err
	}, firestore.ReadOnly)
	return docs, err
}

// outside is a context without its values, because the client begins no transaction within another. A
// read-only transaction waits for no lock.
type outside struct{ context.Context }

func (outside) Value(any) any { return nil }

// fitting returns the entries that are newer than the oldest item of a full timeline. If the timeline has
// fewer items than the cap, it returns all. It costs a read for every thousand entries of the reader, and one.
func (l Items) fitting(ctx context.Context, db *schema.Database, reader string, entries []Entry) ([]Entry, error) {
	docs, err := l.oldest(ctx, db, reader, "", func(n int64) int64 { return min(1, max(0, n-int64(l.Cap)+1)) })
	if err != nil || len(docs) == 0 {
		return entries, err
	}
	oldest := Read(docs[0]).Entries[docs[0].Ref.ID]
	oldest.Post = docs[0].Ref.ID
	return slices.DeleteFunc(entries, func(e Entry) bool { return NewestFirst(e, oldest) > 0 }), nil
}

// Expired reports whether an entry should be deleted by now.
func (l Items) Expired(e Entry) bool { return expired(l.Expire, e) }

// Writes is a method of [Layout].
func (Items) Writes(doc Document) bool { return doc.shape == item }

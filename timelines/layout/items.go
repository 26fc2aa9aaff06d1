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

// Items has a document for each entry, users/{r}/timeline/{post}. An entry costs a write, a
// page of n entries n reads. The order is that of at.
type Items struct {
	// Cap is how many of a reader's newest entries are kept, at least; 0: all. Every so often,
	// an entry that comes takes those that are too many with it: see Trim.
	Cap int
	// Expire is how long after createdAt Firestore deletes an entry, by a TTL policy; 0: never.
	Expire time.Duration
	// Ranked says that at only grows: see [Lift].
	Ranked bool
}

var _ Layout = Items{}

// Add writes a document for each entry. Unless all are fresh, it costs a read for each, and
// a write for those that are missing.
//
// With a cap, one entry in trimEvery, at most one of an Addition, costs what Trim costs. An Addition
// that is optional does not bring what is older than all items of a full timeline: it costs a read for
// every thousand of them, and one.
//
// Twice, it writes the same again.
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

// set writes an item whole. If a comment may have raised at of one that is there, it replaces
// the other fields.
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

// Lift raises at of those items that are there and lower. It costs a read for each, and a write for
// each that is lower. Twice, or after a later one, it changes nothing. It prolongs nothing: the first
// lift of an item stores its createdAt, by which the item expires, on condition that it is as it was read.
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

// Held is little: the documents are read without their fields.
func (Items) Held(bool) int { return 1 << 10 }

// trimEvery is how many entries come until those beyond the cap go, on average.
const trimEvery = 25

// due reports whether an entry takes others with it.
func due(reader, post string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(reader + "/" + post))
	return h.Sum32()%trimEvery == 0
}

// TrimmedAtOnce is how many entries a transaction deletes of one reader, at most.
const TrimmedAtOnce = 100

// Trim deletes a reader's oldest entries beyond the cap, as they were read. It says how many. An entry
// that comes with it deletes none if it is there already: an event that comes twice has done so.
//
// It costs a read for a coming entry, one for every thousand entries of the reader, and a read and a
// delete for each that is too many. Two at once delete the same entries, and one of them fails: so they
// never leave fewer than the cap.
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

// oldest returns a reader's oldest items: so many as most says of all n. Their number and the items are of
// one moment. If coming is there already, there are none.
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

// outside is a context without its values: the client begins no transaction within another. One that is
// read-only waits for no lock.
type outside struct{ context.Context }

func (outside) Value(any) any { return nil }

// fitting returns those of entries that are newer than the oldest of as many items as the cap keeps, or
// more; all if there are fewer. It costs a read for every thousand entries of the reader, and one.
func (l Items) fitting(ctx context.Context, db *schema.Database, reader string, entries []Entry) ([]Entry, error) {
	docs, err := l.oldest(ctx, db, reader, "", func(n int64) int64 { return min(1, max(0, n-int64(l.Cap)+1)) })
	if err != nil || len(docs) == 0 {
		return entries, err
	}
	oldest := Read(docs[0]).Entries[docs[0].Ref.ID]
	oldest.Post = docs[0].Ref.ID
	return slices.DeleteFunc(entries, func(e Entry) bool { return NewestFirst(e, oldest) > 0 }), nil
}

// Expired reports whether an entry is to be deleted by now.
func (l Items) Expired(e Entry) bool { return expired(l.Expire, e) }

// Writes is a method of [Layout].
func (Items) Writes(doc Document) bool { return doc.shape == item }

package layout

import (
	"context"
	"hash/fnv"
	"maps"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
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
// With a cap, one entry in trimEvery, at most one of an Addition, costs a read for every thousand entries of the reader, and
// a read and a delete for each that is too many.
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
		trimmed := l.Cap == 0
		for _, e := range a.Entries {
			ref := db.Timeline(a.Reader).Doc(e.Post)
			if there[ref.Path] || l.Expired(e) {
				continue
			}
			if !trimmed && due(a.Reader, e.Post) {
				trimmed = true
				if _, err := l.Trim(ctx, db, tx, a.Reader); err != nil {
					return err
				}
			}
			if err := l.set(tx, ref, e); err != nil {
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
// each that is lower. Twice, or after a later one, it changes nothing.
func Lift(ctx context.Context, db *schema.Database, tx *firestore.Transaction, items []*firestore.DocumentRef, at int64) error {
	docs, err := db.Client.GetAll(only(ctx, fieldPost, FieldPosts, FieldAt), items)
	if err != nil {
		return err
	}
	for _, snap := range docs {
		if doc := Read(snap); !doc.Exists || doc.shape != item || doc.Entries[snap.Ref.ID].At >= at {
			continue
		}
		if err := tx.Update(snap.Ref, []firestore.Update{{Path: FieldAt, Value: firestore.FieldTransformMaximum(at)}}); err != nil {
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

// due reports whether an entry takes others with it. A duplicate does so too.
func due(reader, post string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(reader + "/" + post))
	return h.Sum32()%trimEvery == 0
}

// TrimmedAtOnce is how many entries a transaction deletes of one reader, at most.
const TrimmedAtOnce = 100

// Trim deletes a reader's oldest entries beyond the cap, as they were read. It says how many.
func (l Items) Trim(ctx context.Context, db *schema.Database, tx *firestore.Transaction, reader string) (int, error) {
	q := db.Timeline(reader).OrderBy(FieldAt, firestore.Asc) // no documents of other layouts
	n, err := bulk.Count(ctx, q)
	if err != nil || n <= int64(l.Cap) {
		return 0, err
	}
	docs, err := q.Limit(int(min(n-int64(l.Cap), TrimmedAtOnce))).Select().Documents(ctx).GetAll()
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

// Expired reports whether an entry is to be deleted by now.
func (l Items) Expired(e Entry) bool { return expired(l.Expire, e) }

// Writes is a method of [Layout].
func (Items) Writes(doc Document) bool { return doc.shape == item }

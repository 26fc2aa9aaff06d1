package layout

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// Items has a document for each entry, users/{r}/timeline/{post}. An entry costs a write, a
// page of n entries n reads. The order is that of at.
type Items struct {
	// Cap is how many of a reader's newest entries are kept, at least; 0: all. Every so often,
	// an entry that comes takes those that are too many with it: see trim.
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
		docs, err := db.Client.GetAll(only(ctx, fieldAt), look)
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
			if there[ref.Path] || expired(l.Expire, e) {
				continue
			}
			if !trimmed && due(a.Reader, e.Post) {
				trimmed = true
				if _, err := l.trim(ctx, db, tx, a.Reader); err != nil {
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
	data[fieldAt] = firestore.FieldTransformMaximum(e.At)
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
	docs, err := db.Client.GetAll(only(ctx, fieldPost, FieldPosts, fieldAt), items)
	if err != nil {
		return err
	}
	for _, snap := range docs {
		if doc := Read(snap); !doc.Exists || doc.shape != item || doc.Entries[snap.Ref.ID].At >= at {
			continue
		}
		if err := tx.Update(snap.Ref, []firestore.Update{{Path: fieldAt, Value: firestore.FieldTransformMaximum(at)}}); err != nil {
			return err
		}
	}
	return nil
}

// Mend is a method of [Layout].
func (Items) Mend(context.Context, *schema.Database, string) error { return nil }

// Held is little: the documents are read without their fields.
func (Items) Held() int { return 1 << 10 }

// trimEvery is how many entries come until those beyond the cap go, on average.
const trimEvery = 25

// due reports whether an entry takes others with it. A duplicate does so too.
func due(reader, post string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(reader + "/" + post))
	return h.Sum32()%trimEvery == 0
}

// trimmedAtOnce is how many entries a transaction deletes of one reader, at most.
const trimmedAtOnce = 100

// trim deletes a reader's oldest entries beyond the cap, as they were read. It says how many.
func (l Items) trim(ctx context.Context, db *schema.Database, tx *firestore.Transaction, reader string) (int, error) {
	q := db.Timeline(reader).Query
	n, err := bulk.Count(ctx, q)
	if err != nil || n <= int64(l.Cap) {
		return 0, err
	}
	docs, err := q.OrderBy(fieldAt, firestore.Asc).Limit(int(min(n-int64(l.Cap), trimmedAtOnce))).Select().Documents(ctx).GetAll()
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

// Rebuild deletes what is beyond the cap. A crash leaves a part of it.
func (l Items) Rebuild(ctx context.Context, db *schema.Database, reader string) error {
	for gone := 1; gone > 0 && l.Cap > 0; {
		err := db.Client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) (err error) {
			gone, err = l.trim(ctx, db, tx, reader)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Writes is a method of [Layout].
func (Items) Writes(doc Document) bool { return doc.shape == item }

// Keeps reports whether the entry is not expired, and newer than the oldest of a full timeline.
func (l Items) Keeps(docs []Document, post posts.Post) bool {
	e := For(post, "")
	if expired(l.Expire, e) {
		return false
	}
	return l.Cap == 0 || len(docs) < l.Cap || slices.ContainsFunc(docs, func(d Document) bool { return newestFirst(e, d.Entries[d.Ref.ID]) < 0 })
}

// Check finds documents of other layouts, and many more than the cap.
func (l Items) Check(docs []Document) map[int]string {
	wrong := others(item, docs)
	if l.Cap > 0 && len(docs) > l.Cap+trimmedAtOnce {
		wrong[0] = fmt.Sprintf("is one of %d entries, many more than %d", len(docs), l.Cap)
	}
	return wrong
}

// Page costs a read for each entry. It ends before those that are expired.
func (l Items) Page(ctx context.Context, db *schema.Database, reader string, after Position, limit int) ([]Entry, bool, error) {
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
		e := Read(snap).Entries[snap.Ref.ID]
		if expired(l.Expire, e) {
			return page, false, nil
		}
		e.Post = snap.Ref.ID
		page = append(page, e)
	}
	return page, n == limit, nil
}

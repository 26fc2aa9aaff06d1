package layout

import (
	"context"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// Days has a document for each day of posts, users/{r}/timeline/{yyyy-mm-dd of createdAt, UTC}. An entry costs
// a write, and a page of a feed costs one to three reads. Entries are ordered by at. If a day would exceed 1
// MiB, Firestore rejects the entry, and the entry is left out.
type Days struct {
	// Expire is how long after the end of a day Firestore deletes it, by a TTL policy; 0: never.
	Expire time.Duration
}

var _ Layout = Days{}

// DayOf returns the id of the document that holds an entry: "2026-11-23".
func DayOf(e Entry) string { return time.UnixMicro(e.At).UTC().Format(time.DateOnly) }

// Add writes each day of a reader's entries once. Unless the entries are fresh, it costs a read for each such
// day, and a write only if an entry is missing.
//
// A second call writes the same entries again.
func (l Days) Add(ctx context.Context, db *schema.Database, tx *firestore.Transaction, adds []Addition) error {
	days := map[string]map[string]Entry{} // by path
	refs := map[string]*firestore.DocumentRef{}
	var look []*firestore.DocumentRef
	for _, a := range adds {
		for _, e := range a.Entries {
			ref := db.Timeline(a.Reader).Doc(DayOf(e))
			if l.Expired(e) {
				continue
			}
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
			for _, post := range Read(doc).Posts {
				delete(days[doc.Ref.Path], post)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(days)) {
		if len(days[path]) == 0 {
			continue
		}
		if err := l.setDay(tx, refs[path], days[path]); err != nil {
			return err
		}
	}
	return nil
}

func (l Days) setDay(tx *firestore.Transaction, ref *firestore.DocumentRef, entries map[string]Entry) error {
	all := map[string]any{}
	paths := []firestore.FieldPath{{FieldDay}, {FieldPosts}, {FieldAccounts}}
	for post, e := range entries {
		all[post], paths = e.data(), append(paths, firestore.FieldPath{fieldEntries, post})
	}
	data := map[string]any{
		FieldDay: ref.ID, fieldEntries: all,
		FieldPosts:    firestore.ArrayUnion(store.Values(postsOf(entries))...),
		FieldAccounts: firestore.ArrayUnion(store.Values(AccountsOf(entries))...),
	}
	if l.Expire > 0 {
		for _, e := range entries {
			data[fieldExpireAt] = expiry(l.Expire, endOfDay(e))
		}
		paths = append(paths, firestore.FieldPath{fieldExpireAt})
	}
	return tx.Set(ref, data, firestore.Merge(paths...))
}

// endOfDay returns an entry at the end of an entry's day.
func endOfDay(e Entry) Entry {
	return Entry{At: time.UnixMicro(e.CreatedAt()).UTC().Truncate(24 * time.Hour).Add(24 * time.Hour).UnixMicro()}
}

// Expired reports whether the day of an entry should be deleted by now.
func (l Days) Expired(e Entry) bool { return expired(l.Expire, endOfDay(e)) }

// Mend is a method of [Layout].
func (Days) Mend(context.Context, *schema.Database, string) error { return nil }

// Held estimates the post ids of a usual day, or a whole day, which may be as large as a document.
func (Days) Held(whole bool) int {
	if whole {
		return schema.MaxDocumentBytes
	}
	return 16 << 10
}

// Writes is a method of [Layout].
func (Days) Writes(doc Document) bool { return doc.shape == day }

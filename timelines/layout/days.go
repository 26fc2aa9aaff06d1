package layout

import (
	"context"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// Days has a document for each day of posts, users/{r}/timeline/{yyyy-mm-dd of createdAt, UTC}. An entry costs
// a write, and a page of a feed costs one to three reads. Entries are ordered by at. If a day would exceed 1
// MiB, Firestore rejects the entry, and the entry is left out.
//
// Others' posts that name the reader get half of a day: an entry beyond that is left out. So strangers cannot keep out
// the posts of those whom the reader follows. A block brings back what that left out.
type Days struct {
	// Expire is how long after the end of a day Firestore deletes it, by a TTL policy; 0: never.
	Expire time.Duration
}

var _ Layout = Days{}

// DayOf returns the id of the document that holds an entry: "2026-11-23".
func DayOf(e Entry) string { return time.UnixMicro(e.At).UTC().Format(time.DateOnly) }

// Add writes each day of a reader's entries once. For entries that are not fresh, or by name, the author's own included,
// it costs a read for each such day, and a write only if an entry is missing. A crowded day costs another read if an entry by name is missing.
//
// A second call writes the same fresh entries again. Transactions at once do not see each other's entries by name, so
// each may add some beyond the half of the day. Edits may enlarge entries beyond it too.
func (l Days) Add(ctx context.Context, db *schema.Database, tx *firestore.Transaction, adds []Addition) error {
	days := map[string]map[string]Entry{} // by path
	refs := map[string]*firestore.DocumentRef{}
	var look, crowded []*firestore.DocumentRef
	for _, a := range adds {
		for _, e := range a.Entries {
			ref := db.Timeline(a.Reader).Doc(DayOf(e))
			if l.Expired(e) {
				continue
			}
			if days[ref.Path] == nil {
				days[ref.Path], refs[ref.Path] = map[string]Entry{}, ref
			}
			if days[ref.Path][e.Post] = e; (!a.Fresh || e.Audience == "") && !slices.Contains(look, refs[ref.Path]) {
				look = append(look, refs[ref.Path])
			}
		}
	}
	if len(look) > 0 {
		docs, err := db.Client.GetAll(only(ctx, FieldPosts), look)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			there, missing := Read(doc), days[doc.Ref.Path]
			for _, post := range there.Posts {
				delete(missing, post)
			}
			if len(there.Posts) > largestDay/largestEntry && there.bytesByName(missing) > 0 {
				crowded = append(crowded, doc.Ref)
			}
		}
	}
	if len(crowded) > wholeAtOnce && len(adds) > 1 && ctx.Value(inWhole{}) == nil {
		return ErrWhole
	} else if len(crowded) > 0 {
		docs, err := db.Client.GetAll(ctx, crowded)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			if Read(doc).leaveOut(days[doc.Ref.Path]) {
				db.Config.Logger.WarnContext(ctx, "entry left out of a timeline: its day has no room for more posts that name the reader", logging.Document, doc.Ref.Path)
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

const (
	largestDay   = 512 << 10 // bytes of others' entries by name in a day
	largestEntry = 8 << 10   // bytes of an entry; servers may write larger ones
)

// isByName reports whether another's post names the reader.
func (e Entry) isByName(reader string) bool { return e.Audience == "" && e.Author != reader }

// bytesByName returns the bytes of those entries that are by name, for the reader of a day.
func (d Document) bytesByName(entries map[string]Entry) (size int) {
	for _, e := range entries {
		if e.isByName(d.Reader()) {
			size += e.bytes()
		}
	}
	return size
}

// leaveOut removes entries by name for which a whole day has no room. It reports whether there are any.
func (d Document) leaveOut(entries map[string]Entry) bool {
	room, before := largestDay-d.bytesByName(d.Entries), len(entries)
	for _, post := range slices.Sorted(maps.Keys(entries)) {
		if e := entries[post]; e.isByName(d.Reader()) {
			if room -= e.bytes(); room < 0 {
				delete(entries, post)
			}
		}
	}
	return len(entries) < before
}

func (Days) isFull(ctx context.Context, db *schema.Database, reader, account string) (bool, error) {
	q := db.Timeline(reader).Where(FieldAccounts, "array-contains", account).OrderBy(firestore.DocumentID, firestore.Asc).Select(FieldPosts)
	for doc, err := range store.Documents(ctx, q) {
		if err != nil {
			return false, err
		}
		if len(Read(doc).Posts) <= largestDay/largestEntry {
			continue
		}
		whole, err := db.Client.GetAll(ctx, []*firestore.DocumentRef{doc.Ref})
		if err != nil {
			return false, err
		}
		if day := Read(whole[0]); day.bytesByName(day.Entries) > largestDay-largestEntry {
			return true, nil
		}
	}
	return false, nil
}

// MayLack reports whether a day may have left out an entry.
func (d Document) MayLack(e Entry) bool {
	return BytesOfEntries(d.Entries) > largestDay || e.isByName(d.Reader()) && d.bytesByName(d.Entries) > largestDay-largestEntry
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

package layout

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
)

// Buckets has entries as they come, in users/{r}/timeline/open. A full open is closed: it
// becomes past-{sequence}, and the commit that closes it puts the new entry into a fresh
// one. With a cap, it overwrites the oldest closed bucket, past-{sequence mod slots}. An
// entry costs a read and a write of open, and closing one read and one write more. A page
// of a feed is one or two reads, by name.
//
// # Exactly once
//
// open is written on condition that it has not changed. So between the read of open and the
// commit, nothing is added and nothing closed. Whoever adds a post that is older than
// openedAt also looks into the buckets closed since the post was created. That holds for a page
// that goes on after its lease was taken, and for an answer that was lost.
//
// An entry from before its post was created, of a post that was deleted and came back, may
// lie in a bucket closed earlier. It is removed before the post is brought again.
type Buckets struct{ ring ring }

var _ Layout = Buckets{}

// NewBuckets returns buckets of size entries. With a cap, a multiple of size, a timeline
// keeps at least the newest cap entries, and at most size more; 0: all.
func NewBuckets(size, limit int) Buckets { return Buckets{ring{size, int64(limit / size)}} }

// Add costs a read of open for each reader, and a write. It reads more:
//
//   - for the first entry of a reader, one document;
//   - if a post is older than openedAt, up to two buckets closed since, and a query; with an
//     audience, each that holds an entry of the audience, at least one;
//   - for each bucket that it closes, the one that is overwritten.
//
// A damaged or missing open is made again from all buckets of the reader.
func (l Buckets) Add(ctx context.Context, db *schema.Database, tx *firestore.Transaction, adds []Addition) error {
	plans, err := l.opened(ctx, db, adds)
	if err != nil {
		return err
	}
	if err := l.lookBack(ctx, db, adds, plans); err != nil {
		return err
	}
	if err := l.planAll(ctx, db, adds, plans); err != nil {
		return err
	}
	size := 0
	for _, b := range plans {
		size += b.bytes()
	}
	if size > schema.TransactionBytes && (len(adds) > 1 || len(adds[0].Entries) > 1) {
		return work.ErrTooMuch
	}
	for n, b := range plans {
		if err := l.write(db, tx, adds[n].Reader, b); err != nil {
			return err
		}
	}
	return nil
}

// opened reads open of each reader.
func (l Buckets) opened(ctx context.Context, db *schema.Database, adds []Addition) ([]*buckets, error) {
	refs := make([]*firestore.DocumentRef, len(adds))
	for n, a := range adds {
		refs[n] = db.Timeline(a.Reader).Doc(openID)
	}
	docs, err := db.Client.GetAll(ctx, refs)
	if err != nil {
		return nil, err
	}
	plans := make([]*buckets, len(adds))
	var first []*firestore.DocumentRef // of those without open
	var without []int
	for n, doc := range docs {
		plans[n] = newBuckets(readDocument(doc))
		if !doc.Exists() {
			first, without = append(first, db.Timeline(adds[n].Reader).Doc(l.ring.slot(1))), append(without, n)
		} else if plans[n].open.sequence < 1 || plans[n].open.openedAt.IsZero() {
			if err := l.remake(ctx, db, adds[n].Reader, plans[n]); err != nil {
				return nil, err
			}
		}
	}
	if len(first) == 0 {
		return plans, nil
	}
	// A closed bucket is never deleted: who has no first one has never closed one.
	if docs, err = db.Client.GetAll(ctx, first); err != nil {
		return nil, err
	}
	for n, doc := range docs {
		if doc.Exists() {
			if err := l.remake(ctx, db, adds[without[n]].Reader, plans[without[n]]); err != nil {
				return nil, err
			}
		}
	}
	return plans, nil
}

// remake reads all buckets of a reader.
func (l Buckets) remake(ctx context.Context, db *schema.Database, reader string, b *buckets) error {
	all, err := l.all(ctx, db.Timeline(reader).Query)
	if err == nil {
		b.remake(all)
	}
	return err
}

// all returns the closed buckets that a query finds.
func (l Buckets) all(ctx context.Context, q firestore.Query) (all []Document, err error) {
	for snap, err := range store.Documents(ctx, q.OrderBy(firestore.DocumentID, firestore.Asc)) {
		if err != nil {
			return nil, err
		}
		if doc, ok := l.Read(snap); ok && snap.Ref.ID != openID {
			all = append(all, doc)
		}
	}
	return all, nil
}

// lookBack reads the closed buckets that may have one of the entries.
func (l Buckets) lookBack(ctx context.Context, db *schema.Database, adds []Addition, plans []*buckets) error {
	back := make([]int64, len(plans)) // the sequence to read next; 0: none
	for n, b := range plans {
		if len(b.missing(adds[n].Entries)) == 0 || b.whole || !mayHold(b.open.openedAt, adds[n].Born) {
			continue
		}
		if adds[n].Audience == "" {
			back[n] = b.sequence - 1
			continue
		}
		found, err := l.all(ctx, db.Timeline(adds[n].Reader).Where(FieldAccounts, "array-contains", adds[n].Audience))
		if err != nil {
			return err
		}
		for _, doc := range found {
			b.closed[doc.Ref.ID] = doc
		}
	}
	for round := 0; ; round++ {
		var refs []*firestore.DocumentRef
		var of []int
		for n, sequence := range back {
			if sequence > 0 && round < lookBackRounds {
				refs, of = append(refs, db.Timeline(adds[n].Reader).Doc(l.ring.slot(sequence))), append(of, n)
			} else if sequence > 0 {
				if err := l.lookFor(ctx, db, &adds[n], plans[n]); err != nil {
					return err
				}
			}
		}
		if len(refs) == 0 {
			return nil
		}
		docs, err := db.Client.GetAll(ctx, refs)
		if err != nil {
			return err
		}
		for i, snap := range docs {
			n := of[i]
			doc := readDocument(snap)
			plans[n].closed[snap.Ref.ID] = doc
			if back[n]--; !doc.Exists || !mayHold(doc.closedAt, adds[n].Born) || len(plans[n].missing(adds[n].Entries)) == 0 {
				back[n] = 0
			} else if back[n] < l.ring.oldest(plans[n].sequence) {
				back[n] = 0
				l.leaveOut(&adds[n], plans[n], doc)
			}
		}
	}
}

// lookBackRounds is how many closed buckets are read by name. A query finds an older entry.
const lookBackRounds = 2

// leaveOut leaves an addition out if even the oldest bucket of a full ring was certainly
// closed after the post was created: if its entry came in time, others have pushed it out.
func (l Buckets) leaveOut(a *Addition, b *buckets, oldest Document) {
	if l.ring.slots > 0 && b.sequence > l.ring.slots && oldest.Exists && oldest.closedAt.After(a.Created.Add(clockMargin)) {
		a.Entries = nil
	}
}

// lookFor finds the entries of an addition by a query for each, and leaves out what others
// have pushed out.
func (l Buckets) lookFor(ctx context.Context, db *schema.Database, a *Addition, b *buckets) error {
	for _, e := range b.missing(a.Entries) {
		found, err := l.all(ctx, db.Timeline(a.Reader).Where(FieldPosts, "array-contains", e.Post))
		if err != nil {
			return err
		}
		for _, doc := range found {
			b.closed[doc.Ref.ID] = doc
		}
	}
	if l.ring.slots == 0 || b.sequence <= l.ring.slots || len(b.missing(a.Entries)) == 0 {
		return nil
	}
	docs, err := db.Client.GetAll(ctx, []*firestore.DocumentRef{db.Timeline(a.Reader).Doc(l.ring.slot(l.ring.oldest(b.sequence)))})
	if err != nil {
		return err
	}
	oldest := readDocument(docs[0])
	b.closed[oldest.Ref.ID] = oldest
	l.leaveOut(a, b, oldest)
	return nil
}

// planAll plans every Addition, and reads the buckets that are overwritten.
func (l Buckets) planAll(ctx context.Context, db *schema.Database, adds []Addition, plans []*buckets) error {
	for {
		var refs []*firestore.DocumentRef
		var of []int
		for n, b := range plans {
			b.reset()
			if unknown := b.plan(l.ring, b.missing(adds[n].Entries)); unknown != "" {
				refs, of = append(refs, db.Timeline(adds[n].Reader).Doc(unknown)), append(of, n)
			}
		}
		if len(refs) > 0 {
			docs, err := db.Client.GetAll(ctx, refs)
			if err != nil {
				return err
			}
			for i, snap := range docs {
				plans[of[i]].closed[snap.Ref.ID] = readDocument(snap)
			}
			continue
		}
		again := false
		for n, b := range plans {
			if b.behind(l.ring) {
				again = true
				if err := l.remake(ctx, db, adds[n].Reader, b); err != nil {
					return err
				}
			}
		}
		if !again {
			return nil
		}
	}
}

// write writes what a plan has changed.
//
// A crash before the commit leaves the entry to the event, or to the job's page. After the
// commit, the next call finds the entry in open, or in a bucket closed since.
func (l Buckets) write(db *schema.Database, tx *firestore.Transaction, reader string, b *buckets) error {
	if len(b.added) == 0 && len(b.shut) == 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(b.shut)) {
		data := dataOf(b.shut[name].entries)
		data[fieldSequence], data[fieldClosedAt] = b.shut[name].sequence, firestore.ServerTimestamp
		if err := replace(tx, db.Timeline(reader).Doc(name), b.closed[name], data); err != nil {
			return err
		}
	}
	open := db.Timeline(reader).Doc(openID)
	if b.whole {
		data := dataOf(b.entries)
		data[fieldSequence], data[fieldTotal], data[fieldOpenedAt] = b.sequence, b.total, firestore.ServerTimestamp
		return replace(tx, open, b.open, data)
	}
	var posts, accounts []string
	updates := []firestore.Update{{Path: fieldTotal, Value: b.total}}
	for _, e := range b.added {
		posts, accounts = append(posts, e.Post), append(accounts, e.accounts()...)
		updates = append(updates, firestore.Update{FieldPath: []string{fieldEntries, e.Post}, Value: e.data()})
	}
	return tx.Update(open, append(updates,
		firestore.Update{Path: FieldPosts, Value: firestore.ArrayUnion(store.Values(posts)...)},
		firestore.Update{Path: FieldAccounts, Value: firestore.ArrayUnion(store.Values(accounts)...)},
	), firestore.LastUpdateTime(b.open.Updated))
}

// replace writes a whole document, on condition that it is as it was read.
func replace(tx *firestore.Transaction, ref *firestore.DocumentRef, read Document, data map[string]any) error {
	if !read.Exists {
		return tx.Create(ref, data)
	}
	var updates []firestore.Update
	for _, name := range slices.Sorted(maps.Keys(data)) {
		updates = append(updates, firestore.Update{Path: name, Value: data[name]})
	}
	return tx.Update(ref, updates, firestore.LastUpdateTime(read.Updated))
}

// Read is a method of [Layout].
func (Buckets) Read(snap *firestore.DocumentSnapshot) (Document, bool) {
	return readDocument(snap), isBucket(snap.Ref.ID)
}

// Fields is a method of [Layout].
func (Buckets) Fields(post string) []firestore.FieldPath {
	return []firestore.FieldPath{{fieldEntries, post}, {FieldPosts}, {fieldSequence}, {fieldTotal}, {fieldClosedAt}}
}

// Holds reports whether an addition would find the entry. A bucket that was closed before
// the post was created has an entry of an earlier post of that id.
func (Buckets) Holds(doc Document, _ Entry, born time.Time) bool {
	return doc.Ref.ID == openID || mayHold(doc.closedAt, born)
}

// Change costs a write, and one of open if it removes from a closed bucket: the total
// changes in the same commit. A closed bucket stays when it is empty, so that there is a
// first one. open goes with its last entry if nothing was ever closed.
func (Buckets) Change(db *schema.Database, tx *firestore.Transaction, doc Document, c Edits) error {
	unchanged := firestore.LastUpdateTime(doc.Updated)
	updates, removed := doc.updates(c)
	if doc.Ref.ID == openID {
		if doc.sequence <= 1 && doc.emptied(c) {
			return tx.Delete(doc.Ref, unchanged)
		}
		return tx.Update(doc.Ref, append(updates, firestore.Update{Path: fieldTotal, Value: doc.total - int64(removed)}), unchanged)
	}
	if err := tx.Update(doc.Ref, updates, unchanged); err != nil || removed == 0 {
		return err
	}
	open := db.Timeline(doc.Reader()).Doc(openID)
	return tx.Update(open, []firestore.Update{{Path: fieldTotal, Value: firestore.Increment(-removed)}})
}

// Mend makes a missing open again, after the highest sequence. It costs a read if open is
// there.
func (l Buckets) Mend(ctx context.Context, db *schema.Database, reader string) error {
	docs, err := db.Client.GetAll(ctx, []*firestore.DocumentRef{db.Timeline(reader).Doc(openID)})
	if err != nil || docs[0].Exists() {
		return err
	}
	b := newBuckets(readDocument(docs[0]))
	if err := l.remake(ctx, db, reader, b); err != nil || len(b.closed) == 0 {
		return err
	}
	data := dataOf(b.entries)
	data[fieldSequence], data[fieldTotal], data[fieldOpenedAt] = b.sequence, b.total, firestore.ServerTimestamp
	_, err = b.open.Ref.Create(ctx, data)
	if store.IsStale(err) {
		return nil // another one has made it
	}
	return err
}

// Held is for open: usual entries, or the most bytes of a bucket.
func (l Buckets) Held() int { return min(l.ring.size*512, maxBucketBytes) }

// WholePage bounds the memory for buckets.
func (Buckets) WholePage(limit int) int { return min(limit, 40) }

// Check finds buckets that are too full or have another's name, and a wrong total.
func (l Buckets) Check(docs []Document) map[int]string {
	wrong := map[int]string{}
	total, open := int64(0), -1
	for n, doc := range docs {
		total += int64(len(doc.Entries))
		switch {
		case doc.Ref.ID == openID:
			if open = n; doc.sequence < 1 || doc.openedAt.IsZero() {
				wrong[n] = "is damaged: it has no sequence, or no openedAt"
			}
		case l.ring.slot(doc.sequence) != doc.Ref.ID || doc.closedAt.IsZero():
			wrong[n] = fmt.Sprintf("has the sequence %d, or no closedAt", doc.sequence)
		}
		if len(doc.Entries) > l.ring.size {
			wrong[n] = fmt.Sprintf("has %d entries, more than %d", len(doc.Entries), l.ring.size)
		}
	}
	switch {
	case open < 0:
		wrong[0] = "open is missing"
	case docs[open].total != total:
		wrong[open] = fmt.Sprintf("the total is %d, but there are %d entries", docs[open].total, total)
	}
	return wrong
}

// Page costs a read of open, and one for each closed bucket that it needs. With a cap, it
// ends after so many entries of all pages.
func (l Buckets) Page(ctx context.Context, db *schema.Database, reader string, after Position, limit int) ([]Entry, bool, error) {
	docs, err := db.Client.GetAll(ctx, []*firestore.DocumentRef{db.Timeline(reader).Doc(openID)})
	if err != nil {
		return nil, false, err
	}
	open := readDocument(docs[0])
	var page []Entry
	next := open.sequence - 1
	if after.Post == "" || after.Sequence >= open.sequence {
		page = l.shown(open, open.sequence, after)
	} else {
		next = after.Sequence
	}
	oldest := l.ring.oldest(open.sequence)
	for next >= oldest && len(page) <= limit {
		var refs []*firestore.DocumentRef
		from := next
		for ; next >= oldest && len(refs)*l.ring.size <= limit-len(page); next-- {
			refs = append(refs, db.Timeline(reader).Doc(l.ring.slot(next)))
		}
		if docs, err = db.Client.GetAll(ctx, refs); err != nil {
			return nil, false, err
		}
		for n, snap := range docs {
			doc, sequence := readDocument(snap), from-int64(n)
			entries := l.shown(doc, sequence, after)
			if over := int(open.total) - int(l.ring.slots)*l.ring.size; l.ring.slots > 0 && sequence == oldest && over > 0 {
				entries = entries[:max(0, len(entries)-over)]
			}
			page = append(page, entries...)
		}
	}
	if len(page) > limit {
		return page[:limit], true, nil
	}
	return page, false, nil
}

// shown returns the entries of a bucket that come after a place, in order. The slot of an
// older bucket may hold a newer one by now: then the place is gone, and so are its entries.
func (l Buckets) shown(doc Document, sequence int64, after Position) []Entry {
	if doc.sequence != sequence {
		return nil
	}
	entries := sorted(doc.Entries)
	if after.Post != "" && sequence == after.Sequence {
		entries = after.beyond(entries)
	}
	for n := range entries {
		entries[n].Sequence = sequence
	}
	return entries
}

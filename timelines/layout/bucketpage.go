package layout

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Check finds buckets that have another's name, a wrong total, and a ring that
// is not the configured one.
func (l Buckets) Check(docs []Document) map[int]string {
	wrong := others(bucket, docs)
	total, open, r := int64(0), -1, l.ring
	for n, doc := range docs {
		if doc.shape == bucket && doc.Ref.ID == openID {
			open = n
			if doc.damaged() {
				wrong[n] = "is damaged: it has no sequence, openedAt, size or slots"
			} else if r = doc.ring; r != l.ring {
				wrong[n] = fmt.Sprintf("keeps %d buckets of %d, not %d of %d as configured", r.slots, r.size, l.ring.slots, l.ring.size)
			}
		}
	}
	for n, doc := range docs {
		if doc.shape != bucket {
			continue
		}
		total += int64(len(doc.Entries))
		if n != open && (r.slot(doc.sequence) != doc.Ref.ID || doc.closedAt.IsZero()) {
			wrong[n] = fmt.Sprintf("has the sequence %d, or no closedAt", doc.sequence)
		}
	}
	switch {
	case open < 0 && len(wrong) < len(docs):
		wrong[0] = "open is missing"
	case open >= 0 && docs[open].total != total:
		wrong[open] = fmt.Sprintf("the total is %d, but there are %d entries", docs[open].total, total)
	}
	return wrong
}

// bucketsAtOnce is how many closed buckets a page reads at a time, at most.
const bucketsAtOnce = 32

// Page costs a read of open, and one for each closed bucket that it needs. With a cap, it
// ends after so many entries of all pages. It reads twice as many buckets each time, since
// they may be empty.
func (l Buckets) Page(ctx context.Context, db *schema.Database, reader string, after Position, limit int) ([]Entry, bool, error) {
	docs, err := db.Client.GetAll(ctx, []*firestore.DocumentRef{db.Timeline(reader).Doc(openID)})
	if err != nil {
		return nil, false, err
	}
	b := newBuckets(l.ring, Read(docs[0]))
	next, oldest := b.open.sequence-1, b.ring.oldest(b.open.sequence)
	var page []Entry
	if after.Post == "" || after.Sequence >= b.open.sequence {
		page = shown(b.open, b.open.sequence, after)
	} else {
		next = after.Sequence
	}
	for round := 1; next >= oldest && len(page) <= limit; round *= 2 {
		var refs []*firestore.DocumentRef
		from, want := next, min(max(round, (limit-len(page))/b.ring.size+1), bucketsAtOnce)
		for ; next >= oldest && len(refs) < want; next-- {
			refs = append(refs, db.Timeline(reader).Doc(b.ring.slot(next)))
		}
		if docs, err = db.Client.GetAll(ctx, refs); err != nil {
			return nil, false, err
		}
		for n, snap := range docs {
			sequence := from - int64(n)
			entries := shown(Read(snap), sequence, after)
			if over := int(b.open.total - b.ring.slots*int64(b.ring.size)); b.ring.slots > 0 && sequence == oldest && over > 0 {
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
func shown(doc Document, sequence int64, after Position) []Entry {
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

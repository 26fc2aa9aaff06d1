package pages

import (
	"cmp"
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// bucketsAtOnce is how many closed buckets a page reads at a time, at most.
const bucketsAtOnce = 32

// ends is where a reader's buckets begin and end.
type ends struct {
	ring   layout.Ring
	open   int64 // sequence of the open bucket
	oldest int64 // of the oldest closed one
	over   int   // how many of its entries are beyond the cap
}

// pageOfBuckets costs a read of open, and one for each closed bucket that it needs. After the first page, these include
// the bucket in which the page before ended. With a cap, it leaves out the oldest entries of the oldest bucket: as many
// as the total exceeds the cap. Each round may read up to twice as many buckets as the round before, because buckets may
// be empty.
//
// A closed bucket may change: entries may come or go, also between entries of the page before. So a place is an entry in
// its bucket, not a number.
func pageOfBuckets(ctx context.Context, db *schema.Database, l layout.Buckets, reader string, after Position, limit int) (page []layout.Entry, more bool, err error) {
	var open layout.Document
	err = read(ctx, db, []*firestore.DocumentRef{db.Timeline(reader).Doc(layout.OpenID)}, func(_ int, doc layout.Document) { open = doc })
	if err != nil {
		return nil, false, err
	}
	e, err := endsOf(ctx, db, l, reader, open)
	if err != nil {
		return nil, false, err
	}
	next := e.open - 1
	if after.Post == "" || after.Sequence >= e.open-1 {
		page = shown(open, e.open, after, limit+1)
	}
	if after.Post != "" && after.Sequence < e.open { // open has closed since, and has kept its highest entry
		page = slices.DeleteFunc(page, func(entry layout.Entry) bool { return !open.Opens(entry) })
	}
	if after.Post != "" {
		next = min(next, after.Sequence)
	}
	for round := 1; next >= e.oldest && len(page) <= limit && after.end(page) == len(page); round *= 2 {
		var refs []*firestore.DocumentRef
		from, want := next, min(max(round, (limit-len(page))/e.ring.Size+1), bucketsAtOnce)
		for ; next >= e.oldest && len(refs) < want; next-- {
			refs = append(refs, db.Timeline(reader).Doc(e.ring.Slot(next)))
		}
		err = read(ctx, db, refs, func(n int, doc layout.Document) {
			sequence := from - int64(n)
			if doc.Sequence != sequence { // overwritten, or gone
				return
			}
			entries := shown(doc, sequence, after, len(doc.Entries))
			if sequence == e.oldest {
				entries = entries[:max(0, len(entries)-e.over)]
			}
			page = append(page, entries[:min(len(entries), limit+1)]...)
		})
		if err != nil {
			return nil, false, err
		}
	}
	if len(page) > limit {
		return page[:limit], true, nil
	}
	return page, false, nil
}

// endsOf returns the ends that open names. While open is missing or damaged, it returns the ends that the mending of
// open will write: see [layout.Buckets.Mend]. Without open, that costs a read. If closed buckets exist, it also costs a
// read for each and two more.
func endsOf(ctx context.Context, db *schema.Database, l layout.Buckets, reader string, open layout.Document) (ends, error) {
	e := ends{ring: cmp.Or(open.Ring, l.Ring), open: open.Sequence}
	total := open.Total
	if !open.Exists {
		closed := false
		first := []*firestore.DocumentRef{db.Timeline(reader).Doc(e.ring.Slot(1))} // closed buckets are never deleted
		err := read(ctx, db, first, func(_ int, doc layout.Document) { closed = doc.Exists })
		if err != nil || !closed {
			return e, err
		}
	}
	if e.open < 1 || open.Ring.Size == 0 {
		var err error
		if e.ring, e.open, total, err = l.Made(ctx, db, reader); err != nil {
			return e, err
		}
	}
	e.oldest = e.ring.Oldest(e.open)
	if e.ring.Slots > 0 {
		e.over = max(0, int(total-e.ring.Slots*int64(e.ring.Size)))
	}
	return e, nil
}

// shown returns the entries of a bucket that come after a place, in order, at most limit.
func shown(doc layout.Document, sequence int64, after Position, limit int) []layout.Entry {
	entries := sorted(doc, layout.HighestFirst)
	if after.Post != "" && sequence >= after.Sequence {
		entries = after.beyond(entries, layout.HighestFirst)
	}
	entries = entries[:min(len(entries), limit)]
	for n := range entries {
		entries[n].Sequence = sequence
	}
	return entries
}

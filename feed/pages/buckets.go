package pages

import (
	"cmp"
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// bucketsAtOnce is how many closed buckets a page reads at a time, at most.
const bucketsAtOnce = 32

// pageOfBuckets costs a read of open, and one for each closed bucket that it needs. With a cap, it
// ends after so many entries of all pages. It reads twice as many buckets each time, since
// they may be empty.
func pageOfBuckets(ctx context.Context, db *schema.Database, l layout.Buckets, reader string, after Position, limit int) ([]layout.Entry, bool, error) {
	docs, err := db.Client.GetAll(ctx, []*firestore.DocumentRef{db.Timeline(reader).Doc(layout.OpenID)})
	if err != nil {
		return nil, false, err
	}
	open := layout.Read(docs[0])
	ring := cmp.Or(open.Ring, l.Ring)
	next, oldest := open.Sequence-1, ring.Oldest(open.Sequence)
	var page []layout.Entry
	if after.Post == "" || after.Sequence >= open.Sequence {
		page = shown(open, open.Sequence, after)
	} else {
		next = after.Sequence
	}
	for round := 1; next >= oldest && len(page) <= limit; round *= 2 {
		var refs []*firestore.DocumentRef
		from, want := next, min(max(round, (limit-len(page))/ring.Size+1), bucketsAtOnce)
		for ; next >= oldest && len(refs) < want; next-- {
			refs = append(refs, db.Timeline(reader).Doc(ring.Slot(next)))
		}
		if docs, err = db.Client.GetAll(ctx, refs); err != nil {
			return nil, false, err
		}
		for n, snap := range docs {
			sequence := from - int64(n)
			entries := shown(layout.Read(snap), sequence, after)
			if over := int(open.Total - ring.Slots*int64(ring.Size)); ring.Slots > 0 && sequence == oldest && over > 0 {
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
func shown(doc layout.Document, sequence int64, after Position) []layout.Entry {
	if doc.Sequence != sequence {
		return nil
	}
	entries := doc.Sorted()
	if after.Post != "" && sequence == after.Sequence {
		entries = after.beyond(entries)
	}
	for n := range entries {
		entries[n].Sequence = sequence
	}
	return entries
}

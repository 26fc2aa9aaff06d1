package layout

import (
	"context"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/schema"
)

// lookBackRounds is how many closed buckets are read by name. A query finds an older entry.
const lookBackRounds = 2

// queriesAtOnce is how many readers are looked for by a query at a time: the transaction holds
// locks meanwhile.
const queriesAtOnce = 16

// lookBack reads the closed buckets that may have one of the entries.
func lookBack(ctx context.Context, db *schema.Database, adds []Addition, plans []*buckets) error {
	back := make([]int64, len(plans)) // the sequence to read next; 0: none
	for n, b := range plans {
		if len(b.missing(adds[n].Entries)) == 0 || b.whole || !mayHold(b.open.OpenedAt, adds[n].Born) {
			continue
		}
		if len(adds[n].Accounts) == 0 {
			back[n] = b.sequence - 1
			continue
		}
		if err := b.find(ctx, db.Timeline(adds[n].Reader).Where(FieldAccounts, "array-contains-any", adds[n].Accounts)); err != nil {
			return err
		}
	}
	for range lookBackRounds {
		var refs []*firestore.DocumentRef
		var of []int
		for n, sequence := range back {
			if sequence > 0 {
				refs, of = append(refs, db.Timeline(adds[n].Reader).Doc(plans[n].ring.Slot(sequence))), append(of, n)
			}
		}
		if len(refs) == 0 {
			return nil
		}
		docs, err := db.Client.GetAll(onlyIDs(ctx), refs)
		if err != nil {
			return err
		}
		for i, snap := range docs {
			n, doc := of[i], Read(snap)
			b := plans[n]
			b.closed[snap.Ref.ID] = doc
			if back[n]--; !doc.Exists || !mayHold(doc.ClosedAt, adds[n].Born) || len(b.missing(adds[n].Entries)) == 0 {
				back[n] = 0
			} else if back[n] < b.ring.Oldest(b.sequence) {
				back[n] = 0
				b.leaveOut(&adds[n], doc)
			}
		}
	}
	older, ctx := errgroup.WithContext(ctx)
	older.SetLimit(queriesAtOnce)
	for n, sequence := range back {
		if sequence > 0 {
			older.Go(func() error { return plans[n].lookFor(ctx, db, &adds[n]) })
		}
	}
	return older.Wait()
}

// find reads the closed buckets that a query finds.
func (b *buckets) find(ctx context.Context, q firestore.Query) error {
	found, err := allClosed(ctx, q)
	for _, doc := range found {
		b.closed[doc.Ref.ID] = doc
	}
	return err
}

// leaveOut leaves an addition out if even the oldest bucket of a full ring was certainly
// opened after the post was created: if its entry came in time, others have pushed it out.
//
// Then nothing is written that would fail if open has changed since it was read. So the bucket
// must be the oldest of that ring. If it was closed over that one since, the write of the entry
// fails, and the caller plans again. If it is damaged, the entry comes.
func (b *buckets) leaveOut(a *Addition, oldest Document) {
	if b.full() && oldest.Sequence == b.ring.Oldest(b.sequence) && oldest.OpenedAt.After(a.Created.Add(ClockMargin)) {
		a.Entries = nil
	}
}

// full reports whether the ring overwrites a bucket with each that it closes.
func (b *buckets) full() bool { return b.ring.Slots > 0 && b.sequence > b.ring.Slots }

// lookFor finds the entries of an addition by a query for each, and leaves out what others
// have pushed out.
func (b *buckets) lookFor(ctx context.Context, db *schema.Database, a *Addition) error {
	for _, e := range b.missing(a.Entries) {
		if err := b.find(ctx, db.Timeline(a.Reader).Where(FieldPosts, "array-contains", e.Post)); err != nil {
			return err
		}
	}
	if !b.full() || len(b.missing(a.Entries)) == 0 {
		return nil
	}
	docs, err := db.Client.GetAll(onlyIDs(ctx), []*firestore.DocumentRef{db.Timeline(a.Reader).Doc(b.ring.Slot(b.ring.Oldest(b.sequence)))})
	if err != nil {
		return err
	}
	oldest := Read(docs[0])
	b.closed[oldest.Ref.ID] = oldest
	b.leaveOut(a, oldest)
	return nil
}

package layout

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// Mend makes a missing open again, after the highest sequence. It costs a read if open is
// there.
func (l Buckets) Mend(ctx context.Context, db *schema.Database, reader string) error {
	b, err := l.openOf(ctx, db, reader)
	if err != nil || b.open.Exists {
		return err
	}
	if err := remake(ctx, db, reader, b); err != nil || len(b.closed) == 0 {
		return err
	}
	if _, err = b.open.Ref.Create(ctx, b.dataOfOpen()); store.IsStale(err) {
		return nil // another one has made it
	}
	return err
}

func (l Buckets) openOf(ctx context.Context, db *schema.Database, reader string) (*buckets, error) {
	docs, err := db.Client.GetAll(ctx, []*firestore.DocumentRef{db.Timeline(reader).Doc(openID)})
	if err != nil {
		return nil, err
	}
	return newBuckets(l.ring, Read(docs[0])), nil
}

// Writes is a method of [Layout].
func (Buckets) Writes(doc Document) bool { return doc.shape == bucket }

// Keeps reports whether the post is younger than the oldest of the closed buckets that are there
// without a gap, or that is the first.
func (Buckets) Keeps(docs []Document, post posts.Post) bool {
	closed := slices.DeleteFunc(slices.Clone(docs), func(d Document) bool { return d.shape != bucket || d.Ref.ID == openID })
	slices.SortFunc(closed, func(a, b Document) int { return cmp.Compare(b.sequence, a.sequence) })
	for n, doc := range closed {
		if n == len(closed)-1 || closed[n+1].sequence != doc.sequence-1 {
			since := doc.openedAt
			if since.IsZero() {
				since = doc.closedAt
			}
			return doc.sequence == 1 || post.Created.After(since.Add(clockMargin))
		}
	}
	return true
}

// Rebuild makes open, its total and the sequences of closed buckets right, and the ring the
// configured one. It costs a read for each bucket, and a write for each that is wrong.
//
// If the ring changes, the buckets that the new one has no place for are deleted, the oldest
// first. The others get their new names in one transaction with open, which says the ring:
// whoever adds or reads sees one ring or the other. Rebuild fails with work.ErrTooMuch if that
// exceeds a transaction. A crash leaves the old ring, with fewer old entries.
//
// Each write requires that what it relies on is as it was read. Otherwise Rebuild returns an
// error that is stale. Call it again.
func (l Buckets) Rebuild(ctx context.Context, db *schema.Database, reader string) error {
	for {
		if again, err := l.rebuild(ctx, db, reader); err != nil || !again {
			return err
		}
	}
}

// rebuild is one step of Rebuild. again says that there may be another.
func (l Buckets) rebuild(ctx context.Context, db *schema.Database, reader string) (again bool, err error) {
	b, err := l.openOf(ctx, db, reader)
	if err != nil {
		return false, err
	}
	was := b.open
	if err := remake(ctx, db, reader, b); err != nil || !was.Exists && len(b.closed) == 0 {
		return false, err
	}
	// Who closes, renames or empties a bucket writes open too. So these are the buckets of that open.
	if now, err := l.openOf(ctx, db, reader); err != nil || !now.open.Updated.Equal(was.Updated) {
		return false, cmp.Or(err, store.ErrStale)
	}
	closed := slices.SortedFunc(maps.Values(b.closed), func(x, y Document) int { return cmp.Compare(x.sequence, y.sequence) })
	for _, doc := range closed {
		if b.ring.slot(doc.sequence) != doc.Ref.ID || doc.closedAt.IsZero() {
			if again, err = true, b.renumber(ctx, doc); err != nil {
				return false, err
			}
		}
	}
	switch right := !was.damaged() && was.sequence == b.sequence && was.total == b.total; {
	case again:
		return true, nil
	case !was.Exists:
		_, err = was.Ref.Create(ctx, b.dataOfOpen())
		return true, err
	case right && b.ring == l.ring:
		return false, nil
	case right && b.ring.slots != l.ring.slots:
		return true, l.rename(ctx, db, b, closed)
	case right:
		b.ring = l.ring
	}
	_, err = was.Ref.Update(ctx, updatesOf(b.dataOfOpen()), firestore.LastUpdateTime(was.Updated))
	return true, err
}

// renumber gives a closed bucket the sequence that its name has in the ring, and deletes one
// whose name has none.
func (b *buckets) renumber(ctx context.Context, doc Document) error {
	unchanged := firestore.LastUpdateTime(doc.Updated)
	sequence := b.ring.sequenceOf(doc.Ref.ID, b.sequence)
	if sequence < 1 {
		_, err := doc.Ref.Delete(ctx, unchanged)
		return err
	}
	_, err := doc.Ref.Update(ctx, []firestore.Update{
		{Path: fieldSequence, Value: sequence}, {Path: fieldClosedAt, Value: firestore.ServerTimestamp},
		{Path: fieldSize, Value: b.ring.size}, {Path: fieldSlots, Value: b.ring.slots},
	}, unchanged)
	return err
}

// dropped is how many buckets a transaction deletes.
const dropped = 100

// rename gives the closed buckets of a reader the names that they have in the configured ring.
// Those that it has no place for it deletes first: then there is another step.
func (l Buckets) rename(ctx context.Context, db *schema.Database, b *buckets, closed []Document) error {
	oldest := l.ring.oldest(b.sequence)
	old := slices.DeleteFunc(slices.Clone(closed), func(d Document) bool { return d.sequence >= oldest })
	unchanged := firestore.LastUpdateTime(b.open.Updated)
	return db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if len(old) > 0 {
			gone := 0
			for _, doc := range old[:min(len(old), dropped)] {
				gone += len(doc.Posts)
				if err := tx.Delete(doc.Ref, firestore.LastUpdateTime(doc.Updated)); err != nil {
					return err
				}
			}
			return tx.Update(b.open.Ref, []firestore.Update{{Path: fieldTotal, Value: firestore.Increment(-gone)}}, unchanged)
		}
		written := map[string]bool{}
		docs, err := whole(tx, closed)
		if err != nil {
			return err
		}
		if first := l.ring.slot(1); len(docs) > 0 && !slices.ContainsFunc(docs, func(d Document) bool { return l.ring.slot(d.sequence) == first }) {
			docs = append(docs, Document{sequence: l.ring.sequenceOf(first, b.sequence), openedAt: docs[0].openedAt, closedAt: docs[0].closedAt}) // who has closed one has it
		}
		bytes := 0
		for _, doc := range docs {
			data := l.ring.dataOf(doc.sequence, doc.Entries)
			data[fieldOpenedAt], data[fieldClosedAt] = doc.openedAt, doc.closedAt
			name := l.ring.slot(doc.sequence)
			written[name] = true
			if bytes += 2 * bytesOf(doc.Entries); bytes > schema.TransactionBytes {
				return fmt.Errorf("%w: the buckets of %s, which are to be %d: delete the timeline, and repair it", work.ErrTooMuch, b.open.Ref.Path, l.ring.slots)
			}
			if err := tx.Set(db.Timeline(b.open.Reader()).Doc(name), data); err != nil {
				return err
			}
		}
		for _, doc := range closed {
			if !written[doc.Ref.ID] {
				if err := tx.Delete(doc.Ref); err != nil {
					return err
				}
			}
		}
		b.ring = l.ring
		return tx.Update(b.open.Ref, updatesOf(b.dataOfOpen()), unchanged)
	})
}

// whole reads documents again in a transaction, with their entries. They must be as they were.
func whole(tx *firestore.Transaction, docs []Document) ([]Document, error) {
	if len(docs) == 0 {
		return nil, nil
	}
	refs := make([]*firestore.DocumentRef, len(docs))
	for n, doc := range docs {
		refs[n] = doc.Ref
	}
	snaps, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	now := make([]Document, len(docs))
	for n, snap := range snaps {
		if now[n] = Read(snap); !snap.Exists() || !snap.UpdateTime.Equal(docs[n].Updated) {
			return nil, store.ErrStale
		}
	}
	return now, nil
}

package entries

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// rebuild makes what a reader's documents say of themselves right, and their number the configured
// one. Of items, it deletes what is beyond the cap.
//
// It makes open, its total and the sequences of closed buckets right, and the ring the configured
// one. It costs a read for each bucket, and a write for each that is wrong.
//
// If the ring changes, the buckets that the new one has no place for are deleted, the oldest
// first. The others get their new names in one transaction with open, which says the ring:
// whoever adds or reads sees one ring or the other. rebuild fails with work.ErrTooMuch if that
// exceeds a transaction. A crash leaves the old ring, with fewer old entries.
//
// With KeepOthers, what has no place in the configured ring or cap stays, and so does the ring.
//
// Each write requires that what it relies on is as it was read. Otherwise rebuild returns an
// error that is stale. Call it again.
func (c *care) rebuild(ctx context.Context, reader string) error {
	switch l := c.layout.(type) {
	case layout.Items:
		return c.trim(ctx, l, reader)
	case layout.Buckets:
		for {
			if again, err := c.rebuildBuckets(ctx, l, reader); err != nil || !again {
				return err
			}
		}
	default:
		return nil
	}
}

// beyondCap stands for all that is beyond a cap, among what is left. No id has a slash.
const beyondCap = "/"

// trim deletes what is beyond the cap. A crash leaves a part of it.
func (c *care) trim(ctx context.Context, l layout.Items, reader string) error {
	if c.KeepOthers && l.Cap > 0 {
		n, err := bulk.Count(ctx, c.db.Timeline(reader).OrderBy(layout.FieldAt, firestore.Asc))
		if n > int64(l.Cap+manyMore) {
			c.left[beyondCap] = true
		}
		return err
	}
	for gone := 1; gone > 0 && l.Cap > 0; {
		err := c.db.Client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) (err error) {
			gone, err = l.Trim(ctx, c.db, tx, reader)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rebuildBuckets is one step of rebuild. again says that there may be another.
func (c *care) rebuildBuckets(ctx context.Context, l layout.Buckets, reader string) (again bool, err error) {
	b, err := l.Made(ctx, c.db, reader)
	was := b.Open
	if err != nil || !was.Exists && len(b.Closed) == 0 {
		return false, err
	}
	// Who closes, renames or empties a bucket writes open too. So these are the buckets of that open.
	if now, err := c.db.Client.GetAll(ctx, []*firestore.DocumentRef{was.Ref}); err != nil || !now[0].UpdateTime.Equal(was.Updated) {
		return false, cmp.Or(err, store.ErrStale)
	}
	for _, doc := range b.Closed {
		if b.Ring.Slot(doc.Sequence) != doc.Ref.ID || doc.ClosedAt.IsZero() {
			if again, err = true, renumber(ctx, b, doc); err != nil {
				return false, err
			}
		}
	}
	switch right := !was.Damaged() && was.Sequence == b.Sequence && was.Total == b.Total; {
	case again:
		return true, nil
	case !was.Exists:
		_, err = was.Ref.Create(ctx, b.Data())
		return true, err
	case right && b.Ring == l.Ring:
		return false, nil
	case right && c.KeepOthers && b.Closed != nil && b.Closed[0].Sequence < l.Ring.Oldest(b.Sequence):
		c.left[beyondCap] = true
		return false, nil
	case right && b.Ring.Slots != l.Ring.Slots:
		return true, c.rename(ctx, l, b)
	case right:
		b.Ring = l.Ring
	}
	_, err = was.Ref.Update(ctx, layout.UpdatesOf(b.Data()), firestore.LastUpdateTime(was.Updated))
	return true, err
}

// renumber gives a closed bucket the sequence that its name has in the ring, and deletes one
// whose name has none.
func renumber(ctx context.Context, b layout.Made, doc layout.Document) error {
	unchanged := firestore.LastUpdateTime(doc.Updated)
	sequence := b.Ring.SequenceOf(doc.Ref.ID, b.Sequence)
	if sequence < 1 {
		_, err := doc.Ref.Delete(ctx, unchanged)
		return err
	}
	_, err := doc.Ref.Update(ctx, []firestore.Update{
		{Path: layout.FieldSequence, Value: sequence}, {Path: layout.FieldClosedAt, Value: firestore.ServerTimestamp},
		{Path: layout.FieldSize, Value: b.Ring.Size}, {Path: layout.FieldSlots, Value: b.Ring.Slots},
	}, unchanged)
	return err
}

// dropped is how many buckets a transaction deletes.
const dropped = 100

// rename gives the closed buckets of a reader the names that they have in the configured ring.
// Those that it has no place for it deletes first: then there is another step.
func (c *care) rename(ctx context.Context, l layout.Buckets, b layout.Made) error {
	oldest := l.Ring.Oldest(b.Sequence)
	old := slices.DeleteFunc(slices.Clone(b.Closed), func(d layout.Document) bool { return d.Sequence >= oldest })
	unchanged := firestore.LastUpdateTime(b.Open.Updated)
	return c.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if len(old) > 0 {
			gone := 0
			for _, doc := range old[:min(len(old), dropped)] {
				gone += len(doc.Posts)
				if err := tx.Delete(doc.Ref, firestore.LastUpdateTime(doc.Updated)); err != nil {
					return err
				}
			}
			return tx.Update(b.Open.Ref, []firestore.Update{{Path: layout.FieldTotal, Value: firestore.Increment(-gone)}}, unchanged)
		}
		written := map[string]bool{}
		docs, err := whole(tx, b.Closed)
		if err != nil {
			return err
		}
		if first := l.Ring.Slot(1); len(docs) > 0 && !slices.ContainsFunc(docs, func(d layout.Document) bool { return l.Ring.Slot(d.Sequence) == first }) {
			docs = append(docs, layout.Document{Sequence: l.Ring.SequenceOf(first, b.Sequence), OpenedAt: docs[0].OpenedAt, ClosedAt: docs[0].ClosedAt}) // who has closed one has it
		}
		bytes := 0
		for _, doc := range docs {
			data := l.Ring.DataOf(doc.Sequence, doc.Entries)
			data[layout.FieldOpenedAt], data[layout.FieldClosedAt] = doc.OpenedAt, doc.ClosedAt
			name := l.Ring.Slot(doc.Sequence)
			written[name] = true
			if bytes += 2 * layout.BytesOfEntries(doc.Entries); bytes > schema.TransactionBytes {
				return fmt.Errorf("%w: the buckets of %s, which are to be %d: delete the timeline, and repair it", work.ErrTooMuch, b.Open.Ref.Path, l.Ring.Slots)
			}
			if err := tx.Set(c.db.Timeline(b.Open.Reader()).Doc(name), data); err != nil {
				return err
			}
		}
		for _, doc := range b.Closed {
			if !written[doc.Ref.ID] {
				if err := tx.Delete(doc.Ref); err != nil {
					return err
				}
			}
		}
		b.Ring = l.Ring
		return tx.Update(b.Open.Ref, layout.UpdatesOf(b.Data()), unchanged)
	})
}

// whole reads documents again in a transaction, with their entries. They must be as they were.
func whole(tx *firestore.Transaction, docs []layout.Document) ([]layout.Document, error) {
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
	now := make([]layout.Document, len(docs))
	for n, snap := range snaps {
		if now[n] = layout.Read(snap); !snap.Exists() || !snap.UpdateTime.Equal(docs[n].Updated) {
			return nil, store.ErrStale
		}
	}
	return now, nil
}

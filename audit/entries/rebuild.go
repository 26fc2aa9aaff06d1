package entries

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// rebuild corrects the totals, the order and the number of a reader's buckets. It deletes items beyond the cap.
//
// It costs a read for each bucket. If only the total is wrong, it writes open. If the order is wrong, or the ring is
// not the configured one, it writes all buckets again in one transaction. They contain as many of the newest existing
// entries as the ring keeps. Concurrent writers and readers see either the old buckets or the new ones. rebuild fails
// with work.ErrTooMuch if that exceeds a transaction. A crash leaves the old buckets.
//
// With KeepOthers, entries beyond the configured ring or cap stay, and so does the ring.
//
// Each write requires that its documents are as they were read. Otherwise rebuild returns a stale error: call it again.
func (c *care) rebuild(ctx context.Context, reader string) error {
	switch l := c.layout.(type) {
	case layout.Items:
		return c.trim(ctx, l, reader)
	case layout.Buckets:
		return c.rebuildBuckets(ctx, l, reader)
	default:
		return nil
	}
}

// beyondCap is the key in left for everything beyond a cap. No id has a slash.
const beyondCap = "/"

// trim deletes items beyond the cap. A crash leaves some of them.
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
			gone, err = l.Trim(ctx, c.db, tx, reader, "")
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *care) rebuildBuckets(ctx context.Context, l layout.Buckets, reader string) error {
	var docs []layout.Document
	var open *layout.Document
	all := map[string]layout.Entry{}
	total, ring := int64(0), l.Ring
	for snap, err := range store.Documents(ctx, c.db.Timeline(reader).OrderBy(firestore.DocumentID, firestore.Asc)) {
		if err != nil {
			return err
		}
		if doc := layout.Read(snap); !doc.Foreign() && l.Writes(doc) {
			if docs = append(docs, doc); doc.Ref.ID == layout.OpenID {
				open = &doc
			}
			total += int64(len(doc.Entries))
			maps.Copy(all, doc.Entries)
		}
	}
	if len(docs) == 0 {
		return nil
	}
	if c.KeepOthers && ring.Slots > 0 && len(all) > (int(ring.Slots)+1)*ring.Size && docs[0].Ring.Size > 0 {
		ring, c.left[beyondCap] = docs[0].Ring, true
	}
	switch ordered := open != nil && !open.Damaged() && open.Ring == ring && len(l.Disorder(docs)) == 0; {
	case !ordered:
		return c.arrange(ctx, ring, docs, all)
	case open.Total == total:
		return nil
	}
	// Closing or emptying a bucket also writes open. So if open is unchanged, the buckets are too.
	_, err := open.Ref.Update(ctx, []firestore.Update{{Path: layout.FieldTotal, Value: total}}, firestore.LastUpdateTime(open.Updated))
	return err
}

// arrange writes the buckets of a reader again. They must be as they were read.
func (c *care) arrange(ctx context.Context, ring layout.Ring, docs []layout.Document, all map[string]layout.Entry) error {
	timeline := docs[0].Ref.Parent
	documents, bytes := ring.Arranged(all)
	if bytes > schema.TransactionBytes {
		return fmt.Errorf("%w: timeline %s cannot be rebuilt with %d buckets: delete the timeline, then repair it", work.ErrTooMuch, timeline.Path, ring.Slots)
	}
	return c.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if err := unchanged(tx, docs); err != nil {
			return err
		}
		for _, doc := range docs {
			if documents[doc.Ref.ID] == nil {
				if err := tx.Delete(doc.Ref); err != nil {
					return err
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(documents)) {
			write := tx.Set
			if !slices.ContainsFunc(docs, func(d layout.Document) bool { return d.Ref.ID == name }) {
				write = func(ref *firestore.DocumentRef, data any, _ ...firestore.SetOption) error {
					return tx.Create(ref, data)
				}
			}
			if err := write(timeline.Doc(name), documents[name]); err != nil {
				return err
			}
		}
		return nil
	})
}

// unchanged reads documents again in a transaction. They must be as they were.
func unchanged(tx *firestore.Transaction, docs []layout.Document) error {
	refs := make([]*firestore.DocumentRef, len(docs))
	for n, doc := range docs {
		refs[n] = doc.Ref
	}
	snaps, err := tx.GetAll(refs)
	if err != nil {
		return err
	}
	for n, snap := range snaps {
		if !snap.Exists() || !snap.UpdateTime.Equal(docs[n].Updated) {
			return store.ErrStale
		}
	}
	return nil
}

package timelines

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// Hide sets the mark of a reader's entry of post p as users/{r}/hidden/{p} is now: whether the reader hides
// the post. Without settings in the options, Hide removes the mark.
//
// A concurrent fan-out either sees the document that [readers.Hidden] makes, or has committed its entry before
// the query here.
//
// Hide costs two reads for that document. It also costs a read for each document with the post, at least one,
// and another for the transaction. A changed mark costs a write. A second or late call reads the current
// state. If the event never comes, the entry is not marked until a repair.
func (x *Delivery) Hide(ctx context.Context, reader, p string) error {
	if schema.CheckPostID(p) != nil {
		return nil // no timeline has it
	}
	if _, err := readers.Hidden(ctx, x.db, reader, p); err != nil {
		return err
	}
	err := work.UntilSettled(ctx, func() (int, error) {
		docs, err := x.db.Timeline(reader).Where(layout.FieldPosts, "array-contains", p).SelectPaths(layout.FieldsFor(p)...).Documents(ctx).GetAll()
		if err != nil {
			return 0, err
		}
		return writing[listed]{Delivery: x, write: func(_ context.Context, tx *firestore.Transaction, part []listed) error {
			snap, err := store.GetMaybe(tx, x.db.HiddenPost(reader, p))
			if err != nil {
				return err
			}
			hides := snap.Exists() && x.db.Config.ReaderSettings
			for _, l := range part {
				doc := layout.Read(l.DocumentSnapshot)
				if e, ok := doc.Entries[p]; !ok || doc.Foreign() || e.Hidden == hides {
					continue
				}
				if err := layout.Mark(tx, doc, p, hides); err != nil {
					return err
				}
			}
			return nil
		}}.each(ctx, x.listedOf(docs), entryBytes)
	})
	if err != nil {
		return fmt.Errorf("hiding of %s: %w", x.db.HiddenPost(reader, p).Path, err)
	}
	return nil
}

package pages

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// pageOfItems costs a read for each entry. It ends before expired entries.
func pageOfItems(ctx context.Context, db *schema.Database, l layout.Items, reader string, after Position, limit int) ([]layout.Entry, bool, error) {
	q := db.Timeline(reader).OrderBy(layout.FieldAt, firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).Limit(limit)
	if after.Post != "" {
		q = q.StartAfter(after.At, after.Post)
	}
	if after.Newer != 0 {
		q = q.Where(layout.FieldAt, ">", after.Newer)
	}
	var page []layout.Entry
	n := 0
	for snap, err := range store.Documents(ctx, q) {
		if err != nil {
			return nil, false, err
		}
		n++
		e := layout.Read(snap).Entries[snap.Ref.ID]
		if l.Expired(e) {
			if l.Ranked { // expired entries are among the others
				continue
			}
			return page, false, nil
		}
		e.Post = snap.Ref.ID
		page = append(page, e)
	}
	return page, n == limit, nil
}

package pages

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// daysAtOnce is how many days a page reads at a time.
const daysAtOnce = 3

// pageOfDays costs a read for each day that it needs, three at a time.
func pageOfDays(ctx context.Context, db *schema.Database, l layout.Days, reader string, after Position, limit int) ([]layout.Entry, bool, error) {
	var page []layout.Entry
	q := db.Timeline(reader).OrderBy(layout.FieldDay, firestore.Desc)
	if after.Post != "" {
		q = q.Where(layout.FieldDay, "<=", layout.DayOf(layout.Entry{At: after.At}))
	}
	for {
		docs, err := q.Limit(daysAtOnce).Documents(ctx).GetAll()
		if err != nil {
			return nil, false, err
		}
		for _, snap := range docs {
			entries := layout.Read(snap).Sorted()
			if len(entries) > 0 && l.Expired(entries[0]) {
				continue
			}
			page = append(page, after.beyond(entries)...)
		}
		if len(page) > limit {
			return page[:limit], true, nil
		}
		if len(docs) < daysAtOnce || len(page) == limit {
			return page, len(docs) == daysAtOnce, nil
		}
		q = q.StartAfter(docs[len(docs)-1])
	}
}

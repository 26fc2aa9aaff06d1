package pages

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// daysAtOnce is how many days a page reads at a time, at most.
const daysAtOnce = 3

// pageOfDays costs a read for each day that it needs. It first reads one day: days may be large, and one is often
// enough. Then it reads several at a time, as many as the days before suggest.
func pageOfDays(ctx context.Context, db *schema.Database, l layout.Days, reader string, after Position, limit int) (page []layout.Entry, more bool, err error) {
	q := db.Timeline(reader).OrderBy(layout.FieldDay, firestore.Desc).Select(layout.ShownFields()...)
	if after.Post != "" {
		q = q.Where(layout.FieldDay, "<=", layout.DayOf(layout.Entry{At: after.At}))
	}
	days, found := 0, 0
	var last any // the field day of the last one
	for n := 1; ; n = min(daysAtOnce, daysFor(limit-len(page), days, found)) {
		docs := 0
		err := holding(ctx, n, db.Timeline(reader).Doc(layout.DayOf(layout.Entry{})), func(ctx context.Context) error {
			snaps, err := q.Limit(n).Documents(ctx).GetAll()
			for _, snap := range snaps {
				docs, last = docs+1, schema.FieldsOf(snap, layout.FieldDay)[layout.FieldDay]
				entries := sorted(layout.Read(snap), layout.NewestFirst)
				found += len(entries)
				if len(entries) == 0 || l.Expired(entries[0]) {
					continue
				}
				entries = after.beyond(entries, layout.NewestFirst)
				page = append(page, entries[:min(len(entries), limit+1)]...)
			}
			return err
		})
		days += docs
		switch {
		case err != nil:
			return nil, false, err
		case len(page) > limit:
			return page[:limit], true, nil
		case docs < n || len(page) == limit:
			return page, docs == n, nil
		}
		q = q.StartAfter(last)
	}
}

// daysFor returns how many days probably hold the missing entries, if earlier days held found entries.
func daysFor(missing, days, found int) int {
	return max(1, (missing*days+max(found, 1)-1)/max(found, 1))
}

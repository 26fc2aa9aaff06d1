// Package pages reads the timelines of readers, page by page. It writes nothing.
package pages

import (
	"context"
	"slices"

	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// Position is a place in a timeline, right after an entry. The zero Position is the
// beginning.
type Position struct {
	Sequence int64
	At       int64
	Post     string

	// Newer ends the list before entries whose at is Newer or less; 0: no end.
	Newer int64
}

// end returns the number of entries, in order, that come before the end by Newer.
func (p Position) end(entries []layout.Entry) int {
	if n := slices.IndexFunc(entries, func(e layout.Entry) bool { return e.At <= p.Newer }); p.Newer != 0 && n >= 0 {
		return n
	}
	return len(entries)
}

// order compares two entries of a document, newest first.
type order func(a, b layout.Entry) int

// beyond returns the entries, in order, of one bucket or day that come after a place.
func (p Position) beyond(entries []layout.Entry, by order) []layout.Entry {
	if p.Post == "" {
		return entries
	}
	for n, e := range entries {
		if by(e, layout.Entry{At: p.At, Post: p.Post}) > 0 {
			return entries[n:]
		}
	}
	return nil
}

// sorted returns the entries of a document in order, under their ids in the document.
func sorted(doc layout.Document, by order) []layout.Entry {
	entries := make([]layout.Entry, 0, len(doc.Entries))
	for post, e := range doc.Entries {
		e.Post = post
		entries = append(entries, e)
	}
	slices.SortFunc(entries, by)
	return entries
}

// Of returns a reader's next entries after a place, newest first, at most limit. more reports whether there may be
// others. Entries that the reader hides are marked.
//
// The order is by at. For the same time, a higher id comes first. In buckets, a higher hash of the id comes first,
// because buckets are closed in that order: so no entry is skipped when open closes between two pages. Concurrent
// changes may be missing. All pages of a process share [memoryBudget].
func Of(ctx context.Context, db *schema.Database, l layout.Layout, reader string, after Position, limit int) (entries []layout.Entry, more bool, err error) {
	switch l := l.(type) {
	case layout.Items:
		entries, more, err = pageOfItems(ctx, db, l, reader, after, limit)
	case layout.Days:
		entries, more, err = pageOfDays(ctx, db, l, reader, after, limit)
	case layout.Buckets:
		entries, more, err = pageOfBuckets(ctx, db, l, reader, after, limit)
	default: // none
	}
	n := after.end(entries)
	return entries[:n], more && n == len(entries), err
}

// Newest returns a reader's newest entries, at most limit.
func Newest(ctx context.Context, db *schema.Database, l layout.Layout, reader string, limit int) ([]layout.Entry, error) {
	entries, _, err := Of(ctx, db, l, reader, Position{}, limit)
	return entries, err
}

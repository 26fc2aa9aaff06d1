package entries

import (
	"context"
	"slices"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// promised decides which of the missing posts are reported, of those that have to be there: all, of a
// reader without settings; otherwise those that were made after the reader last wrote them, at
// decided.
//
// Of the others, a fan-out may have left one out, and a rebuild too, as [timelines.Delivery.MostRebuilt]
// newer ones were there. Some of these may be gone since. So such a post is reported if a rebuild
// would bring it now, and the timeline has more entries of older posts than it has place for beside
// these newer ones. Entries that may have come since do not count: of posts that were written after
// this one was made, or that the reader follows since then.
//
// It costs what a rebuild reads, for a reader with such posts.
func (c *care) promised(ctx context.Context, reader string, docs []layout.Document, due, missing []duePost, in map[string]string, decided time.Time) error {
	doubted := map[string]int{} // those that others may have kept out, by post
	for n := range missing {
		p := &missing[n]
		if p.sure = p.must && (decided.IsZero() || p.createdAt.After(decided.Add(schema.MaxAhead))); p.must {
			doubted[p.id] = n
		}
	}
	if !slices.ContainsFunc(missing, func(p duePost) bool { return p.must && !p.sure }) {
		return nil
	}
	lacks, err := c.Missing(ctx, reader)
	if err != nil {
		return err
	}
	spare := spareOf(c.layout, docs, c.MostRebuilt())
	for _, lack := range lacks {
		n, ok := doubted[lack.ID]
		if !ok { // as one that the reader blocks: it is counted, and does not come
			spare++
		} else if p := &missing[n]; !p.sure {
			p.sure = p.hasOlder(due, in, spare)
		}
	}
	return nil
}

// hasOlder reports whether a timeline with the posts in has more than n of due that are older than p,
// and were there before p.
func (p duePost) hasOlder(due []duePost, in map[string]string, n int) bool {
	made := p.createdAt.Add(-schema.MaxAhead)
	for _, q := range slices.Backward(due) {
		if n < 0 || newestFirst(p, q) >= 0 {
			break
		}
		if in[q.id] != "" && !q.updated.After(made) && !q.followed.After(made) {
			n--
		}
	}
	return n < 0
}

// spareOf returns how many entries a timeline of these documents has place for beside its newest;
// less than 0 if it has no place for so many, or no end.
func spareOf(l layout.Layout, docs []layout.Document, newest int) int {
	switch l := l.(type) {
	case layout.Buckets: // none is ever deleted
		size, place := l.Ring.Size, 0
		for _, doc := range docs {
			size = max(size, doc.Ring.Size)
		}
		for _, doc := range docs {
			if l.Writes(doc) {
				place += max(size, len(doc.Entries))
			}
		}
		return place - newest
	case layout.Items:
		if l.Cap > 0 {
			return l.Cap + manyMore - newest
		}
	}
	return -1
}

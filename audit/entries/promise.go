package entries

import (
	"context"
	"slices"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// promised returns the missing posts to report. For a reader without settings, these are all posts that must be there.
// For others, these are the posts made after decided, when the reader last wrote the settings.
//
// An earlier post may have been skipped by a fan-out, and by a rebuild, which brings only the newest
// [timelines.Delivery.MostRebuilt] posts. Some of the newer posts may be gone since. So promised reports an earlier
// post only on two conditions: a rebuild would bring the post now, and the timeline has more entries of older posts
// than fit beside the newer ones. Entries that may have come later do not count: entries of posts written after this
// one, or of authors followed since.
//
// For a reader with such posts, it costs the reads of a rebuild.
func (c *care) promised(ctx context.Context, reader string, docs []layout.Document, due, missing []duePost, in map[string]string, decided time.Time) error {
	doubted := map[string]int{} // posts that newer posts may have kept out
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
		if !ok { // such as a post of a blocked author: it counts, but a rebuild does not bring it
			spare++
		} else if p := &missing[n]; !p.sure {
			p.sure = p.hasOlder(due, in, spare)
		}
	}
	return nil
}

// hasOlder reports whether a timeline with the posts in contains more than n posts of due that are older than p and
// came before p.
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

// spareOf returns how many more entries fit in a timeline of these documents beside its newest. It is negative if the
// newest do not fit, or if the timeline has no limit.
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

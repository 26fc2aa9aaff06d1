package entries

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.com/relationindex/posts"
	"example.com/relationindex/timelines/layout"
)

// wrongs returns what is wrong with the documents of a reader, beside their entries, by index.
func wrongs(l layout.Layout, docs []layout.Document) map[int]string {
	wrong := map[int]string{}
	for n, doc := range docs {
		if !l.Writes(doc) {
			wrong[n] = "is no document of this layout"
		}
	}
	switch l := l.(type) {
	case layout.Items:
		if l.Cap > 0 && len(docs) > l.Cap+manyMore {
			wrong[0] = fmt.Sprintf("is one of %d entries, many more than %d", len(docs), l.Cap)
		}
	case layout.Buckets:
		bucketsWrong(l, docs, wrong)
	}
	return wrong
}

// bucketsWrong finds buckets that have another's name, a wrong total, and a ring that is not the
// configured one.
func bucketsWrong(l layout.Buckets, docs []layout.Document, wrong map[int]string) {
	total, open, r := int64(0), -1, l.Ring
	for n, doc := range docs {
		if l.Writes(doc) && doc.Ref.ID == layout.OpenID {
			open = n
			if doc.Damaged() {
				wrong[n] = "is damaged: it has no sequence, openedAt, size or slots"
			} else if r = doc.Ring; r != l.Ring {
				wrong[n] = fmt.Sprintf("keeps %d buckets of %d, not %d of %d as configured", r.Slots, r.Size, l.Ring.Slots, l.Ring.Size)
			}
		}
	}
	for n, doc := range docs {
		if !l.Writes(doc) {
			continue
		}
		total += int64(len(doc.Entries))
		if n != open && (r.Slot(doc.Sequence) != doc.Ref.ID || doc.ClosedAt.IsZero()) {
			wrong[n] = fmt.Sprintf("has the sequence %d, or no closedAt", doc.Sequence)
		}
	}
	switch {
	case open < 0 && len(wrong) < len(docs):
		wrong[0] = "open is missing"
	case open >= 0 && docs[open].Total != total:
		wrong[open] = fmt.Sprintf("the total is %d, but there are %d entries", docs[open].Total, total)
	}
}

// manyMore is how many items beyond the cap are too many. One in 25 that come takes others with it, by
// a hash: without one in 100, which happens to 2 timelines in 100, nothing is wrong; in 500, to one of
// 700,000,000.
const manyMore = 500

// fullDay is when a day may have left out entries.
const fullDay = 512 << 10

// keeps reports whether a timeline with these documents has certainly not pushed out the entry of a
// post that came when the post was made.
func keeps(l layout.Layout, docs []layout.Document, post posts.Post) bool {
	e := layout.For(post, "")
	switch l := l.(type) {
	case layout.Items: // is it newer than the oldest of a full timeline?
		return !l.Expired(e) && (l.Cap == 0 || len(docs) < l.Cap ||
			slices.ContainsFunc(docs, func(d layout.Document) bool { return layout.NewestFirst(e, d.Entries[d.Ref.ID]) < 0 }))
	case layout.Days: // is its day full?
		day := post.CreatedAt().UTC().Format(time.DateOnly)
		return !l.Expired(e) && !slices.ContainsFunc(docs, func(d layout.Document) bool {
			return d.Ref.ID == day && layout.BytesOfEntries(d.Entries) > fullDay
		})
	default:
		return bucketsKeep(l, docs, post)
	}
}

// bucketsKeep reports whether the post is younger than the oldest of the closed buckets that are
// there without a gap, or that is the first, of a ring that is not full.
func bucketsKeep(l layout.Layout, docs []layout.Document, post posts.Post) bool {
	closed := slices.DeleteFunc(slices.Clone(docs), func(d layout.Document) bool { return !l.Writes(d) || d.Ref.ID == layout.OpenID })
	slices.SortFunc(closed, func(a, b layout.Document) int { return cmp.Compare(b.Sequence, a.Sequence) })
	full := slices.ContainsFunc(docs, func(d layout.Document) bool { // who adds leaves out late posts then
		return l.Writes(d) && d.Ref.ID == layout.OpenID && d.Ring.Slots > 0 && d.Sequence > d.Ring.Slots
	})
	for n, doc := range closed {
		if n == len(closed)-1 || closed[n+1].Sequence != doc.Sequence-1 {
			since := doc.OpenedAt
			if since.IsZero() {
				since = doc.ClosedAt
			}
			return doc.Sequence == 1 && !full || post.Created.After(since.Add(layout.ClockMargin))
		}
	}
	return true
}

// room returns how many of the missing posts, newest first, have a place in a timeline with these
// documents and a cap: those with fewer than cap newer ones, there or missing. Buckets take what comes
// late as their newest: more would push out the newer ones that are there.
func room(l layout.Layout, docs []layout.Document, missing []duePost, limit int) int {
	var there []int64
	for _, doc := range docs {
		if l.Writes(doc) {
			for _, e := range doc.Entries {
				there = append(there, e.At)
			}
		}
	}
	slices.SortFunc(there, func(a, b int64) int { return cmp.Compare(b, a) })
	newer := 0
	for n, p := range missing {
		for newer < len(there) && there[newer] > layout.For(p.post(), "").At {
			newer++
		}
		if newer+n >= limit {
			return n
		}
	}
	return len(missing)
}

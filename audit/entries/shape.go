package entries

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"example.com/relationindex/posts"
	"example.com/relationindex/timelines/layout"
)

// wrongs returns the errors in a reader's documents, except errors in entries, by index.
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

// bucketsWrong finds buckets that are not in order, a wrong total, and a ring that is not the configured
// one.
func bucketsWrong(l layout.Buckets, docs []layout.Document, wrong map[int]string) {
	total, open := int64(0), -1
	maps.Copy(wrong, l.Disorder(docs))
	for n, doc := range docs {
		if !l.Writes(doc) {
			continue
		}
		total += int64(len(doc.Entries))
		if doc.Ref.ID == layout.OpenID {
			open = n
			if r := doc.Ring; doc.Damaged() {
				wrong[n] = "is damaged: it has no sequence, from, size or slots"
			} else if r != l.Ring {
				wrong[n] = fmt.Sprintf("keeps %d buckets of %d, not %d of %d as configured", r.Slots, r.Size, l.Ring.Slots, l.Ring.Size)
			}
		}
	}
	switch {
	case open < 0 && len(wrong) < len(docs):
		wrong[0] = "open is missing"
	case open >= 0 && wrong[open] == "" && docs[open].Total != total:
		wrong[open] = fmt.Sprintf("the total is %d, but there are %d entries", docs[open].Total, total)
	}
}

// manyMore is the number of items beyond the cap that is an error. One new item in 25, chosen by a hash, deletes items
// beyond the cap. By chance, 2 timelines in 100 get 100 items without a deletion, which is no error. One in 700,000,000
// gets 500.
const manyMore = 500

// keeps reports whether a timeline with these documents has certainly not pushed out the entry of a post, if the entry
// came when the post was made.
func keeps(l layout.Layout, docs []layout.Document, post posts.Post) bool {
	e := layout.For(post, "")
	switch l := l.(type) {
	case layout.Items: // newer than the oldest of a full timeline
		return !l.Expired(e) && (l.Cap == 0 || len(docs) < l.Cap ||
			slices.ContainsFunc(docs, func(d layout.Document) bool { return layout.NewestFirst(e, d.Entries[d.Ref.ID]) < 0 }))
	case layout.Days: // unless its day is full
		day := post.CreatedAt().UTC().Format(time.DateOnly)
		return !l.Expired(e) && !slices.ContainsFunc(docs, func(d layout.Document) bool {
			return d.Ref.ID == day && d.MayLack(e)
		})
	case layout.Buckets:
		return l.Keeps(docs, e)
	default:
		return true
	}
}

// room returns how many of the missing posts, newest first, fit in a timeline with these documents and a cap. A post
// fits if fewer than cap posts, present or missing, are newer.
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

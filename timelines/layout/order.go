package layout

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Disorder returns the errors in the places and the order of a reader's buckets, by index. docs are the closed
// buckets and open, whole.
func (l Buckets) Disorder(docs []Document) map[int]string {
	wrong := map[int]string{}
	var order []int // closed buckets by sequence, then open
	open := -1
	for n, doc := range docs {
		if l.Writes(doc) && doc.Ref.ID == OpenID {
			open = n
		} else if l.Writes(doc) {
			order = append(order, n)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(docs[a].Sequence, docs[b].Sequence) })
	r := l.Ring
	if open >= 0 {
		r, order = cmp.Or(docs[open].Ring, r), append(order, open)
	}
	var before place // newest place of the bucket before
	for i, n := range order {
		doc, from, to := docs[n], docs[n].from, docs[n].to
		if n == open {
			if !before.none() && (from.none() || from.compare(before) < 0) {
				wrong[n] = "begins before a closed bucket ends"
			}
		} else if r.Slot(doc.Sequence) != doc.Ref.ID || open >= 0 && doc.Sequence >= docs[open].Sequence {
			wrong[n] = fmt.Sprintf("has the sequence %d", doc.Sequence)
		} else if from.none() || to.none() || from.compare(to) > 0 {
			wrong[n] = "does not say where it begins and ends"
		} else if i > 0 && from.compare(before) < 0 {
			wrong[n] = "begins before the bucket before it ends"
		}
		for id, e := range doc.Entries {
			at := placeAt(e.At, id)
			if n == open && !from.none() && at.compare(from) <= 0 || n != open && wrong[n] == "" && (at.compare(from) < 0 || at.compare(to) > 0) {
				wrong[n] = id + " is not in its order"
			}
		}
		before = newest(before, to)
	}
	return wrong
}

// Arranged returns a reader's buckets for these entries, in order: as many of the newest as the ring keeps.
// bytes estimates the bytes that a transaction writes.
func (r Ring) Arranged(entries map[string]Entry) (documents map[string]map[string]any, bytes int) {
	b := newBuckets(r, Document{})
	oldestFirst := slices.SortedFunc(maps.Keys(entries), func(p, q string) int {
		return placeAt(entries[p].At, p).compare(placeAt(entries[q].At, q))
	})
	for _, id := range oldestFirst {
		e := entries[id]
		e.Post = id
		for unknown := b.push(e); unknown != ""; unknown = b.push(e) {
			b.closed[unknown] = Document{}
		}
	}
	documents = map[string]map[string]any{OpenID: b.dataOfOpen()}
	bytes = 2 * BytesOfEntries(b.entries)
	for name, p := range b.written {
		documents[name] = p.data(r)
		bytes += 2 * BytesOfEntries(p.entries)
	}
	return documents, bytes
}

// Keeps reports whether a reader's buckets, whole, have certainly neither pushed out nor left out an entry that came in
// time. Only the closed buckets from the newest down to the first gap count. The entry must not be older than the
// oldest of these, unless that is the first bucket ever closed. If the ring is full, the entry must not be older than
// the second oldest, or must be newer than the only one.
func (l Buckets) Keeps(docs []Document, e Entry) bool {
	var closed []Document
	full := false
	for _, doc := range docs {
		switch {
		case !l.Writes(doc):
		case doc.Ref.ID == OpenID:
			full = doc.Ring.Slots > 0 && (doc.Sequence > doc.Ring.Slots || doc.Total >= doc.Ring.Slots*int64(doc.Ring.Size))
		default:
			closed = append(closed, doc)
		}
	}
	slices.SortFunc(closed, func(a, b Document) int { return cmp.Compare(b.Sequence, a.Sequence) })
	for n, doc := range closed {
		if n < len(closed)-1 && closed[n+1].Sequence == doc.Sequence-1 {
			continue
		}
		switch at := placeOf(e); {
		case !full:
			return doc.Sequence == 1 || at.compare(doc.from) >= 0
		case n > 0: // a full ring leaves out late entries of its oldest bucket
			return at.compare(closed[n-1].from) >= 0
		default:
			return at.compare(doc.to) > 0
		}
	}
	return true
}

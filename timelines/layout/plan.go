package layout

import (
	"cmp"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"
)

// buckets is what is known of a reader's buckets, and what becomes of them.
type buckets struct {
	ring   Ring                // of the reader
	open   Document            // as read
	closed map[string]Document // as read, by name, without entries; those that do not exist too

	sequence int64
	total    int64
	entries  map[string]Entry // of open
	added    []Entry          // to open as it was read, unless it is written whole
	whole    bool             // open is written whole: it is new, was closed, or is remade
	remade   bool             // closed has all documents there are
	shut     map[string]shut  // closed now, by name
}

// shut is a bucket that a plan closes.
type shut struct {
	sequence int64
	entries  map[string]Entry
}

// newBuckets begins with open as it was read. A reader without one gets the ring r.
func newBuckets(r Ring, open Document) *buckets {
	b := &buckets{ring: cmp.Or(open.Ring, r), open: open, closed: map[string]Document{}}
	b.reset()
	return b
}

// reset forgets the plan.
func (b *buckets) reset() {
	b.sequence, b.total, b.entries = b.open.Sequence, b.open.Total, maps.Clone(b.open.Entries)
	b.added, b.whole, b.shut = nil, b.remade || !b.open.Exists, map[string]shut{}
	if b.sequence == 0 {
		b.sequence = 1
	}
}

// plan adds entries, in order. It returns the name of a closed bucket that it has to know;
// "" if it has planned all.
func (b *buckets) plan(entries []Entry) (unknown string) {
	for _, e := range entries {
		if b.ring.isFull(b.entries, e) {
			for b.remade && b.ring.Slots == 0 && b.closed[b.ring.Slot(b.sequence)].Exists {
				b.sequence++ // past a damaged bucket, until a repair
			}
			name := b.ring.Slot(b.sequence)
			if earlier, ok := b.shut[name]; ok {
				b.total -= int64(len(earlier.entries))
			} else if doc, ok := b.closed[name]; ok {
				b.total -= int64(len(doc.Posts))
			} else {
				return name
			}
			b.shut[name] = shut{b.sequence, b.entries}
			b.sequence++
			b.entries, b.added, b.whole = map[string]Entry{}, nil, true
		}
		b.entries[e.Post] = e
		b.added = append(b.added, e)
		b.total++
	}
	return ""
}

// behind reports whether the plan closes a bucket over one that is as new: open is older
// than it says, or somebody else's. After remake, such a bucket is damaged.
func (b *buckets) behind() bool {
	if b.remade {
		return false
	}
	for name, s := range b.shut {
		if doc := b.closed[name]; doc.Exists && (b.ring.Slots == 0 || doc.Sequence >= s.sequence) {
			return true
		}
	}
	return false
}

// remake plans from all documents of a timeline: after the highest sequence, with the
// entries of open that can be read. The sequence of a closed bucket with another's name counts
// for nothing.
func (b *buckets) remake(all []Document) {
	b.open.Sequence, b.open.Total = 1, int64(len(b.open.Entries))
	for _, doc := range all {
		b.closed[doc.Ref.ID] = doc
		if r := cmp.Or(doc.Ring, b.ring); doc.Sequence >= b.open.Sequence && r.Slot(doc.Sequence) == doc.Ref.ID {
			b.open.Sequence, b.ring = doc.Sequence+1, cmp.Or(b.open.Ring, r)
		}
		b.open.Total += int64(len(doc.Posts))
	}
	b.remade = true
	b.reset()
}

// has reports whether a bucket that was read has an entry of a post.
func (b *buckets) has(post string) bool {
	if _, ok := b.open.Entries[post]; ok {
		return true
	}
	for _, doc := range b.closed {
		if slices.Contains(doc.Posts, post) {
			return true
		}
	}
	return false
}

// missing returns the entries that no bucket has.
func (b *buckets) missing(entries []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return b.has(e.Post) })
}

// dataOfOpen returns what open says when it is written whole.
func (b *buckets) dataOfOpen() map[string]any {
	data := b.ring.DataOf(b.sequence, b.entries)
	data[FieldTotal], data[FieldOpenedAt] = b.total, firestore.ServerTimestamp
	return data
}

// bytes estimates what the plan writes.
func (b *buckets) bytes() (size int) {
	for _, s := range b.shut {
		size += 2 * BytesOfEntries(s.entries)
	}
	for _, e := range b.added {
		size += 2 * e.bytes()
	}
	return size
}

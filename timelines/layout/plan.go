package layout

import (
	"cmp"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"
)

// buckets is the known state of a reader's buckets, and the plan for them.
type buckets struct {
	ring   Ring                // of the reader
	open   Document            // as read
	closed map[string]Document // as read, by name, without entries; includes missing ones

	sequence int64
	total    int64
	from     place            // of open: the place of the newest closed entry
	entries  map[string]Entry // of open
	size     int              // of entries, in bytes
	added    []Entry          // to open as it was read, unless it is written whole
	whole    bool             // open is written whole: it is new, was closed, or is remade
	remade   bool             // closed has all existing documents
	leftOut  bool             // an entry was left out
	lost     bool             // open must be read whole and rebuilt: no closed bucket exists
	written  map[string]*past // closed buckets that change, by name
}

// past is a closed bucket.
type past struct {
	sequence int64
	from, to place // bounds of its entries; entries of the next bucket are newer
	posts    []string
	entries  map[string]Entry // of a bucket that closes now; nil: it was closed before
	added    []Entry          // to a bucket that was closed before
}

// newBuckets begins with open as it was read. A reader without one gets the ring r.
func newBuckets(r Ring, open Document) *buckets {
	b := &buckets{ring: cmp.Or(open.Ring, r), open: open, closed: map[string]Document{}}
	b.reset()
	return b
}

// reset forgets the plan.
func (b *buckets) reset() {
	b.sequence, b.total, b.from = max(b.open.Sequence, 1), b.open.Total, b.open.from
	b.entries, b.added, b.written = maps.Clone(b.open.Entries), nil, map[string]*past{}
	b.size = BytesOfEntries(b.entries)
	b.whole, b.leftOut, b.lost = b.remade || !b.open.Exists, false, false
	if b.entries == nil {
		b.entries = map[string]Entry{}
	}
}

// plan adds missing entries, each at its place. If a post's createdAt has changed, its old entry may be in
// another bucket, and stays there until an edit removes it. optional entries may be left out. plan returns the
// name of a closed bucket that it must read first; "" if it has planned all entries.
func (b *buckets) plan(entries []Entry, optional bool) (unknown string) {
	for _, e := range entries {
		if at := placeOf(e); !b.from.none() && at.compare(b.from) <= 0 {
			unknown = b.late(e, optional)
		} else if !b.has(e.Post) {
			unknown = b.push(e)
		}
		if unknown != "" {
			return unknown
		}
	}
	return ""
}

// push adds an entry to open. If open is full, all but its newest entry become a closed bucket. So one entry
// with a future date does not keep other entries out of open.
func (b *buckets) push(e Entry) (unknown string) {
	if !b.ring.isFull(len(b.entries), b.size, e) {
		b.entries[e.Post], b.added = e, append(b.added, e)
		b.size += e.bytes()
		b.total++
		return ""
	}
	for b.remade && b.ring.Slots == 0 && b.closed[b.ring.Slot(b.sequence)].Exists {
		b.sequence++ // past a damaged bucket, until a repair
	}
	name := b.ring.Slot(b.sequence)
	if earlier, ok := b.written[name]; ok {
		b.total -= int64(len(earlier.posts))
	} else if doc, ok := b.closed[name]; ok {
		b.total -= int64(len(doc.Posts))
	} else {
		return name
	}
	all := b.entries
	all[e.Post] = e
	order := slices.SortedFunc(maps.Keys(all), func(p, q string) int { return placeAt(all[p].At, p).compare(placeAt(all[q].At, q)) })
	last := len(order) - 1
	shut := &past{sequence: b.sequence, posts: order[:last], entries: all}
	b.entries = map[string]Entry{order[last]: all[order[last]]}
	delete(all, order[last])
	b.size = BytesOfEntries(b.entries)
	// Entries that should lie before from are damaged. Even then, the bucket begins after the one before it.
	shut.from = newest(placeAt(all[order[0]].At, order[0]), b.from)
	shut.to = newest(placeAt(all[order[last-1]].At, order[last-1]), b.from)
	b.written[name], b.from = shut, shut.to
	b.sequence++
	b.added, b.whole = nil, true
	b.total++
	return ""
}

// late adds an entry older than the newest closed entry to the closed bucket where it belongs.
func (b *buckets) late(e Entry, optional bool) (unknown string) {
	at := placeOf(e)
	p, probe := b.find(at)
	has := p != nil && slices.Contains(p.posts, e.Post)
	was, wasOpen := b.open.Entries[e.Post]
	switch {
	case probe > 0:
		return b.ring.Slot(probe)
	case wasOpen && was.At == e.At: // open was damaged, and has the entry
	case p == nil && !b.remade: // according to open, no closed bucket exists any more
		b.lost = true
	case p == nil:
		if b.from = (place{}); !b.has(e.Post) {
			return b.push(e)
		}
	case has && p.from.compare(at) <= 0 && p.to.compare(at) >= 0: // an edit corrects it there
	case !has && (b.beyond(p, at) || optional && p.isLarge(e, maxBucketBytes) || p.isLarge(e, maxLateBytes)):
		b.leftOut = true
	default:
		if !has {
			p.posts = append(p.posts, e.Post)
			b.total++
		}
		p.from, p.to = oldest(p.from, at), newest(p.to, at)
		if p.entries != nil {
			p.entries[e.Post] = e
		} else {
			p.added = append(p.added, e)
		}
		b.written[b.ring.Slot(p.sequence)] = p
	}
	return ""
}

// beyond reports whether more entries than a full ring keeps are newer than a place in the closed bucket p. One of
// these entries may be of the same post, with its earlier createdAt.
func (b *buckets) beyond(p *past, at place) bool {
	newer := b.total
	switch {
	case b.ring.Slots == 0:
		return false
	case p.from.compare(at) <= 0 && p.sequence > b.ring.Oldest(b.sequence):
		return false
	case p.from.compare(at) <= 0:
		newer -= int64(len(p.posts))
	}
	return newer > b.ring.Slots*int64(b.ring.Size)
}

// maxLateBytes limits the late entries of a closed bucket: an author may write thousands of posts with one
// createdAt. The other half of the document stays free for edits.
const maxLateBytes = 512 << 10

// isLarge estimates whether an entry like e would exceed limit in a closed bucket that was read without its
// entries.
func (p *past) isLarge(e Entry, limit int) bool {
	return (len(p.posts)+1)*max(e.bytes(), usualBytes) > limit
}

// lookBackRounds is how many of the newest closed buckets are read one after the other. Older ones are found
// by halves.
const lookBackRounds = 2

// find returns the newest closed bucket that begins at or before a place. If there is none, it returns the
// oldest; nil if there are no closed buckets. probe is the sequence of a bucket that must be read first; 0:
// none.
//
// A later bucket never begins before an earlier one ends. So find reads the newest buckets, then the oldest,
// and then searches by halves between two known buckets.
func (b *buckets) find(at place) (p *past, probe int64) {
	first, end := b.ring.Oldest(b.sequence), b.sequence
	var below, above *past
	for _, p := range b.live() {
		switch begins := p.from.compare(at) <= 0; {
		case begins && (below == nil || p.sequence > below.sequence):
			below = p
		case !begins && (above == nil || p.sequence < above.sequence):
			above = p
		}
	}
	if below != nil && below.to.compare(at) >= 0 {
		return below, 0
	}
	from, to := first, end-1
	if below != nil {
		from = below.sequence + 1
	}
	if above != nil {
		to = above.sequence - 1
	}
	switch {
	case end-1-to < lookBackRounds:
		probe = b.unknown(from, to, to)
	case below == nil && !b.knows(from):
		probe = from
	default:
		probe = b.unknown(from, to, from+(to-from)/2)
	}
	if below == nil {
		below = above
	}
	return below, probe
}

// live returns the known closed buckets that exist.
func (b *buckets) live() (all []*past) {
	for _, p := range b.written {
		if p.sequence >= b.ring.Oldest(b.sequence) {
			all = append(all, p)
		}
	}
	for name, doc := range b.closed {
		if b.written[name] == nil && doc.Exists && !doc.from.none() && b.ring.Slot(doc.Sequence) == name &&
			doc.Sequence < b.sequence && doc.Sequence >= b.ring.Oldest(b.sequence) {
			all = append(all, &past{sequence: doc.Sequence, from: doc.from, to: doc.to, posts: slices.Clone(doc.Posts)})
		}
	}
	return all
}

func (b *buckets) knows(sequence int64) bool {
	name := b.ring.Slot(sequence)
	_, ok := b.closed[name]
	return ok || b.written[name] != nil
}

// unknown returns the sequence of an unknown bucket between from and to: the nearest at or before middle, or
// else after middle; 0: there is none.
func (b *buckets) unknown(from, to, middle int64) int64 {
	for s := middle; s >= from; s-- {
		if !b.knows(s) {
			return s
		}
	}
	for s := middle + 1; s <= to; s++ {
		if !b.knows(s) {
			return s
		}
	}
	return 0
}

// behind reports whether open is older than a closed bucket, or something else wrote one of them: the bucket has open's
// sequence or a later one, or the plan closes a bucket that already exists. After remake, such a bucket is damaged.
func (b *buckets) behind() bool {
	if b.remade || b.lost {
		return b.lost
	}
	for name, doc := range b.closed {
		if doc.Exists && (b.ring.Slot(doc.Sequence) == name && doc.Sequence >= max(b.open.Sequence, 1) || b.ring.Slots == 0 && b.written[name] != nil && b.written[name].entries != nil) {
			return true
		}
	}
	return false
}

// remake plans from all documents of a timeline: after the highest sequence, with the readable entries of
// open. It ignores the sequence of a closed bucket whose name does not match.
func (b *buckets) remake(all []Document) {
	b.open.Sequence, b.open.Total, b.open.from = 1, int64(len(b.open.Entries)), place{}
	for _, doc := range all {
		b.closed[doc.Ref.ID] = doc
		b.open.from = newest(b.open.from, doc.to)
		if r := cmp.Or(doc.Ring, b.ring); doc.Sequence >= b.open.Sequence && r.Slot(doc.Sequence) == doc.Ref.ID {
			b.open.Sequence, b.ring = doc.Sequence+1, cmp.Or(b.open.Ring, r)
		}
		b.open.Total += int64(len(doc.Posts))
	}
	b.remade = true
	b.reset()
}

// has reports whether open has an entry of a post, had it when it was read, or gets it.
func (b *buckets) has(post string) bool {
	_, was := b.open.Entries[post]
	_, is := b.entries[post]
	return was || is
}

// dataOfOpen returns the fields of open for a write of the whole document.
func (b *buckets) dataOfOpen() map[string]any {
	data := b.ring.dataOf(b.sequence, b.entries)
	if data[FieldTotal] = b.total; !b.from.none() {
		data[FieldFrom] = b.from.String()
	} else if b.open.Exists {
		data[FieldFrom] = firestore.Delete
	}
	return data
}

// data returns the fields of a bucket that closes now.
func (p *past) data(r Ring) map[string]any {
	data := r.dataOf(p.sequence, p.entries)
	data[FieldFrom], data[FieldTo] = p.from.String(), p.to.String()
	return data
}

// bytes estimates the bytes that the plan writes.
func (b *buckets) bytes() (size int) {
	for _, p := range b.written {
		size += 2*BytesOfEntries(p.entries) + 2*bytesOf(p.added)
		if p.entries == nil { // the document counts whole
			size += len(p.posts) * usualBytes
		}
	}
	return size + 2*bytesOf(b.added)
}

func bytesOf(entries []Entry) (size int) {
	for _, e := range entries {
		size += e.bytes()
	}
	return size
}

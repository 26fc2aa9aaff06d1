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
	from     place            // of open: the newest that was closed
	entries  map[string]Entry // of open
	size     int              // of these, in bytes
	added    []Entry          // to open as it was read, unless it is written whole
	whole    bool             // open is written whole: it is new, was closed, or is remade
	remade   bool             // closed has all documents there are
	leftOut  bool             // an entry does not come
	lost     bool             // open has to be read whole, and made again: no closed bucket is there
	written  map[string]*past // closed buckets that change, by name
}

// past is a closed bucket.
type past struct {
	sequence int64
	from, to place // between these its entries lie; those of the next bucket are newer
	posts    []string
	entries  map[string]Entry // of one that is closed now; nil: it was before
	added    []Entry          // to one that was closed before
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

// plan adds entries that are not there, each at its place. If the post has got another createdAt, its old entry may
// be in another bucket: that one stays, until an edit takes it. optional ones may be left out. plan returns the name
// of a closed bucket that it has to know; "" if it has planned all.
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

// push adds an entry to open, which is closed if it is full: all but its newest entry become a closed
// bucket. So one entry of the future keeps no others out of open.
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
	// Entries that should lie before from are damaged: the bucket begins after the one before it all the same.
	shut.from = newest(placeAt(all[order[0]].At, order[0]), b.from)
	shut.to = newest(placeAt(all[order[last-1]].At, order[last-1]), b.from)
	b.written[name], b.from = shut, shut.to
	b.sequence++
	b.added, b.whole = nil, true
	b.total++
	return ""
}

// late adds an entry that is older than the newest closed one to the closed bucket where it belongs.
func (b *buckets) late(e Entry, optional bool) (unknown string) {
	at := placeOf(e)
	p, probe := b.find(at)
	has := p != nil && slices.Contains(p.posts, e.Post)
	was, wasOpen := b.open.Entries[e.Post]
	switch {
	case probe > 0:
		return b.ring.Slot(probe)
	case wasOpen && was.At == e.At: // open was damaged, and has it
	case p == nil && !b.remade: // nothing that was closed is there any more, as far as open says
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

// beyond reports whether a full ring has more entries than it keeps that are newer than a place in the
// closed bucket p. One of them may be of the same post, with its earlier createdAt.
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

// maxLateBytes bounds a closed bucket whatever comes late: an author may write thousands of posts of one
// moment. It leaves as much of a document for edits.
const maxLateBytes = 512 << 10

// isLarge estimates whether a closed bucket, which was read without its entries, has no room of so many
// bytes for an entry like e.
func (p *past) isLarge(e Entry, limit int) bool {
	return (len(p.posts)+1)*max(e.bytes(), usualBytes) > limit
}

// lookBackRounds is how many closed buckets are read one after the other. An older one is found by
// halves.
const lookBackRounds = 2

// find returns the newest closed bucket that begins at or before a place; if there is none, the oldest;
// nil if there are none at all. probe is the sequence of a bucket that it has to know; 0: none.
//
// A later bucket never begins before an earlier one ends. So those between two that are known are read by
// halves, after the newest ones and the oldest.
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

// live returns the closed buckets that are known and there.
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

// unknown returns the sequence nearest to middle, between two others, of a bucket that is not known; 0:
// there is none.
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

// behind reports whether a closed bucket is as new as open says of itself: open is older than that, or
// somebody else's. After remake, such a bucket is damaged.
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

// remake plans from all documents of a timeline: after the highest sequence, with the
// entries of open that can be read. The sequence of a closed bucket with another's name counts
// for nothing.
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

// has reports whether open has an entry of a post, has had it when it was read, or gets it.
func (b *buckets) has(post string) bool {
	_, was := b.open.Entries[post]
	_, is := b.entries[post]
	return was || is
}

// dataOfOpen returns what open says when it is written whole.
func (b *buckets) dataOfOpen() map[string]any {
	data := b.ring.dataOf(b.sequence, b.entries)
	if data[FieldTotal] = b.total; !b.from.none() {
		data[FieldFrom] = b.from.String()
	} else if b.open.Exists {
		data[FieldFrom] = firestore.Delete
	}
	return data
}

// data returns what a bucket says that is closed now.
func (p *past) data(r Ring) map[string]any {
	data := r.dataOf(p.sequence, p.entries)
	data[FieldFrom], data[FieldTo] = p.from.String(), p.to.String()
	return data
}

// bytes estimates what the plan writes.
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

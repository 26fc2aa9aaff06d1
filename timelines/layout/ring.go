package layout

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// openID is the name of the bucket that takes entries. It sorts before those of closed
// buckets: an entry moves from open to a closed bucket, and so a walk by name over the
// documents of a post cannot miss it.
const openID = "open"

// closedPrefix begins the names of closed buckets.
const closedPrefix = "past-"

// clockMargin is how far the server's clocks may be apart: openedAt has milliseconds, and
// is the time of a request, while documents are created at the time of a commit.
const clockMargin = time.Second

// maxBucketBytes closes a bucket of large entries before it is full.
const maxBucketBytes = 256 << 10

// ring is the arithmetic of buckets.
type ring struct {
	size  int   // entries of a bucket
	slots int64 // closed buckets, the oldest of which is overwritten; 0: no end
}

// slot returns the name of the closed bucket with a sequence: "past-00000012".
func (r ring) slot(sequence int64) string {
	if r.slots > 0 {
		sequence %= r.slots
	}
	return fmt.Sprintf("%s%08d", closedPrefix, sequence)
}

// isBucket reports whether a document of a timeline has the name of a bucket.
func isBucket(id string) bool {
	number, ok := strings.CutPrefix(id, closedPrefix)
	n, err := strconv.ParseInt(number, 10, 64)
	return id == openID || ok && err == nil && n >= 0
}

// oldest returns the sequence of the oldest closed bucket while one is open.
func (r ring) oldest(open int64) int64 {
	if r.slots > 0 && open > r.slots {
		return open - r.slots
	}
	return 1
}

// mayHold reports whether a bucket closed at closed may have an entry of a post that was
// created at born.
func mayHold(closed, born time.Time) bool { return !closed.Before(born.Add(-clockMargin)) }

// full reports whether a bucket has no room for another entry.
func (r ring) full(entries map[string]Entry, e Entry) bool {
	return len(entries) >= r.size || len(entries) > 0 && bytesOf(entries)+e.bytes() > maxBucketBytes
}

// buckets is what is known of a reader's buckets, and what becomes of them.
type buckets struct {
	open   Document            // as read
	closed map[string]Document // as read, by name; those that were read and do not exist too

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

func newBuckets(open Document) *buckets {
	b := &buckets{open: open, closed: map[string]Document{}}
	b.reset()
	return b
}

// reset forgets the plan.
func (b *buckets) reset() {
	b.sequence, b.total, b.entries = b.open.sequence, b.open.total, maps.Clone(b.open.Entries)
	b.added, b.whole, b.shut = nil, b.remade || !b.open.Exists, map[string]shut{}
	if b.sequence == 0 {
		b.sequence = 1
	}
}

// plan adds entries, in order. It returns the name of a closed bucket that it has to know;
// "" if it has planned all.
func (b *buckets) plan(r ring, entries []Entry) (unknown string) {
	for _, e := range entries {
		if r.full(b.entries, e) {
			name := r.slot(b.sequence)
			if earlier, ok := b.shut[name]; ok {
				b.total -= int64(len(earlier.entries))
			} else if doc, ok := b.closed[name]; ok {
				b.total -= int64(len(doc.Entries))
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
// than it says, or somebody else's.
func (b *buckets) behind(r ring) bool {
	for name, s := range b.shut {
		if doc := b.closed[name]; doc.Exists && (r.slots == 0 || doc.sequence >= s.sequence) {
			return true
		}
	}
	return false
}

// remade plans from all documents of a timeline: after the highest sequence, with the
// entries of open that can be read.
func (b *buckets) remake(all []Document) {
	b.open.sequence, b.open.total = 1, int64(len(b.open.Entries))
	for _, doc := range all {
		b.closed[doc.Ref.ID] = doc
		b.open.sequence = max(b.open.sequence, doc.sequence+1)
		b.open.total += int64(len(doc.Entries))
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
		if _, ok := doc.Entries[post]; ok {
			return true
		}
	}
	return false
}

// missing returns the entries that no bucket has.
func (b *buckets) missing(entries []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return b.has(e.Post) })
}

// bytes estimates what the plan writes.
func (b *buckets) bytes() (size int) {
	for _, s := range b.shut {
		size += 2 * bytesOf(s.entries)
	}
	for _, e := range b.added {
		size += 2 * e.bytes()
	}
	return size
}

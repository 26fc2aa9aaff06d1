package layout

import (
	"fmt"
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

// sequenceOf returns the sequence of the closed bucket with a name, while one is open; less
// than 1 if there is none.
func (r ring) sequenceOf(name string, open int64) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(name, closedPrefix), 10, 64)
	switch {
	case err != nil || r.slots > 0 && n >= r.slots || r.slots == 0 && n >= open:
		return 0
	case r.slots == 0:
		return n
	default:
		return open - 1 - ((open-1-n)%r.slots+r.slots)%r.slots
	}
}

// mayHold reports whether a bucket closed at closed may have an entry of a post that was
// created at born.
func mayHold(closed, born time.Time) bool { return !closed.Before(born.Add(-clockMargin)) }

// isFull reports whether a bucket has no room for another entry.
func (r ring) isFull(entries map[string]Entry, e Entry) bool {
	return len(entries) >= r.size || len(entries) > 0 && bytesOf(entries)+e.bytes() > maxBucketBytes
}

// dataOf returns the fields that every bucket has.
func (r ring) dataOf(sequence int64, entries map[string]Entry) map[string]any {
	data := dataOf(entries)
	data[fieldSequence], data[fieldSize], data[fieldSlots] = sequence, r.size, r.slots
	return data
}

// damaged reports whether open does not say what those who add have to know.
func (d Document) damaged() bool { return d.sequence < 1 || d.openedAt.IsZero() || d.ring.size == 0 }

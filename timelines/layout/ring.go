package layout

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// OpenID is the name of the bucket that takes entries. It sorts before those of closed
// buckets: an entry moves from open to a closed bucket, and so a walk by name over the
// documents of a post cannot miss it.
const OpenID = "open"

// closedPrefix begins the names of closed buckets.
const closedPrefix = "past-"

// ClockMargin is how far the server's clocks may be apart: openedAt has milliseconds, and
// is the time of a request, while documents are created at the time of a commit.
const ClockMargin = time.Second

// maxBucketBytes closes a bucket of large entries before it is full.
const maxBucketBytes = 256 << 10

// Ring is the arithmetic of buckets.
type Ring struct {
	Size  int   // entries of a bucket
	Slots int64 // closed buckets, the oldest of which is overwritten; 0: no end
}

// Slot returns the name of the closed bucket with a sequence: "past-00000012".
func (r Ring) Slot(sequence int64) string {
	if r.Slots > 0 {
		sequence %= r.Slots
	}
	return fmt.Sprintf("%s%08d", closedPrefix, sequence)
}

// isBucket reports whether a document of a timeline has the name of a bucket.
func isBucket(id string) bool {
	number, ok := strings.CutPrefix(id, closedPrefix)
	n, err := strconv.ParseInt(number, 10, 64)
	return id == OpenID || ok && err == nil && n >= 0
}

// Oldest returns the sequence of the oldest closed bucket while one is open.
func (r Ring) Oldest(open int64) int64 {
	if r.Slots > 0 && open > r.Slots {
		return open - r.Slots
	}
	return 1
}

// SequenceOf returns the sequence of the closed bucket with a name, while one is open; less
// than 1 if there is none.
func (r Ring) SequenceOf(name string, open int64) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(name, closedPrefix), 10, 64)
	switch {
	case err != nil || r.Slots > 0 && n >= r.Slots || r.Slots == 0 && n >= open:
		return 0
	case r.Slots == 0:
		return n
	default:
		return open - 1 - ((open-1-n)%r.Slots+r.Slots)%r.Slots
	}
}

// mayHold reports whether a bucket closed at closed may have an entry of a post that was
// created at born.
func mayHold(closed, born time.Time) bool { return !closed.Before(born.Add(-ClockMargin)) }

// isFull reports whether a bucket has no room for another entry.
func (r Ring) isFull(entries map[string]Entry, e Entry) bool {
	return len(entries) >= r.Size || len(entries) > 0 && BytesOfEntries(entries)+e.bytes() > maxBucketBytes
}

// DataOf returns the fields that every bucket has.
func (r Ring) DataOf(sequence int64, entries map[string]Entry) map[string]any {
	data := dataOf(entries)
	data[FieldSequence], data[FieldSize], data[FieldSlots] = sequence, r.Size, r.Slots
	return data
}

// Damaged reports whether open does not say what those who add have to know.
func (d Document) Damaged() bool { return d.Sequence < 1 || d.OpenedAt.IsZero() || d.Ring.Size == 0 }

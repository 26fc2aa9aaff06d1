package layout

import (
	"fmt"
	"strconv"
	"strings"
)

// OpenID is the name of the bucket that gets new entries. It sorts before the names of closed buckets. An
// entry moves from open to a closed bucket, so a walk by name over the documents of a post cannot miss the
// entry.
const OpenID = "open"

// closedPrefix begins the names of closed buckets.
const closedPrefix = "past-"

// maxBucketBytes is the size at which a bucket of large entries closes before it is full.
const maxBucketBytes = 256 << 10

// Ring is the arithmetic of buckets.
type Ring struct {
	Size  int   // entries of a bucket
	Slots int64 // closed buckets before the oldest is overwritten; 0: no limit
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

// Oldest returns the sequence of the oldest closed bucket, given the sequence of open.
func (r Ring) Oldest(open int64) int64 {
	if r.Slots > 0 && open > r.Slots {
		return open - r.Slots
	}
	return 1
}

// isFull reports whether a bucket with entries of bytes has no room for entry e.
func (r Ring) isFull(entries, bytes int, e Entry) bool {
	return entries >= r.Size || entries > 0 && bytes+e.bytes() > maxBucketBytes
}

// dataOf returns the fields that every bucket has.
func (r Ring) dataOf(sequence int64, entries map[string]Entry) map[string]any {
	data := dataOf(entries)
	data[FieldSequence], data[FieldSize], data[FieldSlots] = sequence, r.Size, r.Slots
	return data
}

// Damaged reports whether open lacks a field that additions require.
func (d Document) Damaged() bool {
	return d.Sequence < 1 || d.Sequence > 1 && d.from.none() || d.Ring.Size == 0
}

package schema

import (
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/genproto/googleapis/type/latlng"
)

// ValueBytes returns the size of a value as Firestore counts it ("Storage size
// calculations").
func ValueBytes(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) + 1
	case []byte:
		return len(v)
	case bool, nil:
		return 1
	case time.Time, int64, float64:
		return 8
	case *latlng.LatLng:
		return 16
	case *firestore.DocumentRef:
		if v == nil {
			return 1
		}
		return len(v.Path) + 16
	case []any:
		size := 0
		for _, e := range v {
			size += ValueBytes(e)
		}
		return size
	case map[string]any:
		size := 32
		for name, e := range v {
			size += len(name) + 1 + ValueBytes(e)
		}
		return size
	case firestore.Vector64:
		return 96 + 8*len(v) // stored as a map of two fields
	default:
		return 8
	}
}

// Depth returns the depth of nested maps and arrays in a value: Firestore stores 20.
func Depth(v any) (depth int) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			depth = max(depth, Depth(e))
		}
	case map[string]any:
		for _, e := range v {
			depth = max(depth, Depth(e))
		}
	default:
		return 0
	}
	return depth + 1
}

// EntriesOf returns the number of automatic index entries of a value, ascending and descending: two, and two
// for each element of an array. Production was observed to count array elements this way.
func EntriesOf(v any) int {
	switch v := v.(type) {
	case []any:
		return 2 + 2*len(v)
	case map[string]any:
		entries := 2
		for _, e := range v {
			entries += EntriesOf(e)
		}
		return entries
	default:
		return 2
	}
}

// FullBytes returns the maximum bytes of the ids in an index document.
func (c Config) FullBytes() int { return min(c.FollowersBytes, c.Capacity*(MaxIDBytes+1)) }

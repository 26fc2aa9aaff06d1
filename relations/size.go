package relations

import (
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/genproto/googleapis/type/latlng"
)

// valueBytes is the size of a value as Firestore counts it ("Storage size
// calculations").
func valueBytes(v any) int {
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
		return len(v.Path) + 16
	case []any:
		size := 0
		for _, e := range v {
			size += valueBytes(e)
		}
		return size
	case map[string]any:
		size := 0
		for name, e := range v {
			size += len(name) + 1 + valueBytes(e)
		}
		return size
	default:
		return 8
	}
}

// transactionBytes is how much of Firestore's 10 MiB a transaction of ours is
// planned to take by the estimate below. What it finds when it reads may have
// grown: up to transactionLimit it goes on.
const (
	transactionBytes = 5 << 20
	transactionLimit = 9 << 20
)

// relationBytes estimates what writing, or deleting, a relation with ids ids of
// together size bytes takes of a transaction. Production counts the index
// entries with the documents, and has been seen to count two for each element.
func relationBytes(ids, size int) int {
	const (
		name  = maxPlainID + 48 // of the relation and its collection, in each entry
		entry = name + 48       // with createdAt and what an entry costs besides
		rest  = 4 << 10         // the document's other fields and their entries
	)
	return size + rest + 2*(ids*entry+size)
}

// perTransaction is how many such relations fit one transaction; at least one.
func perTransaction(ids, size int) int {
	return max(1, transactionBytes/relationBytes(ids, size))
}

// perFullTransaction is how many relations fit one transaction whatever they
// hold: capacity ids, as long as the byte budget lets them be.
func (o Options) perFullTransaction() int {
	return perTransaction(o.Capacity, min(o.FollowersBytes, o.Capacity*(maxIDBytes+1)))
}

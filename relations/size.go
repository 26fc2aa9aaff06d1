package relations

import (
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/genproto/googleapis/type/latlng"

	"example.com/relationindex/internal/runtime/names"
)

// valueBytes returns the size of a value as Firestore counts it ("Storage size
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
		if v == nil {
			return 1
		}
		return len(v.Path) + 16
	case []any:
		size := 0
		for _, e := range v {
			size += valueBytes(e)
		}
		return size
	case map[string]any:
		size := 32
		for name, e := range v {
			size += len(name) + 1 + valueBytes(e)
		}
		return size
	case firestore.Vector64:
		return 96 + 8*len(v) // stored as a map of two fields
	default:
		return 8
	}
}

// entriesOf returns how many automatic index entries a value has, ascending and
// descending: two, and two for each element of an array. Production was observed to count
// array elements so.
func entriesOf(v any) int {
	switch v := v.(type) {
	case []any:
		return 2 + 2*len(v)
	case map[string]any:
		entries := 2
		for _, e := range v {
			entries += entriesOf(e)
		}
		return entries
	default:
		return 2
	}
}

// copiedBytes estimates the transaction bytes of copied fields, stored once and with
// their index entries. relationBytes has room for the entries of a few.
func copiedBytes(fields map[string]any) int {
	const few, entry = 20, 160 // an entry repeats the relation's name
	return 3*valueBytes(fields) + entry*max(0, entriesOf(fields)-few)
}

// relationBytes estimates how many of a transaction's 10 MiB a write or delete of a
// relation takes. The relation has this document id, and ids follower ids of size bytes
// in all. Production counts index entries with the document, and was observed to count
// two for each element. Each entry repeats the relation's name.
func relationBytes(o Options, id string, ids, size int) int {
	const (
		rest  = 8 << 10 // the other fields and their entries, in most relations
		entry = 32 + 8  // overhead of a composite index entry, and createdAt
	)
	name := 16 + len(names.Relations) + 1 + len(id) + 1
	return size + rest + 2*(ids*(name+entry)+size)
}

// fullRelationBytes is relationBytes for the largest possible relation.
func fullRelationBytes(o Options, id string) int {
	return relationBytes(o, id, o.Capacity, o.fullBytes())
}

// fullBytes returns the maximum bytes of the ids in an index document.
func (o Options) fullBytes() int { return min(o.FollowersBytes, o.Capacity*(maxIDBytes+1)) }

// bytesIn estimates the transaction bytes of a relation that was read without its array.
func bytesIn(o Options, r relationMeta) int {
	if r.size <= 0 { // empty, or unknown
		return fullRelationBytes(o, r.ref.ID)
	}
	ids := o.Capacity // the most in an index document
	if r.size > typicalBytes(o) {
		// Long ids, or more ids: the relation was created when the capacity was larger.
		ids = max(ids, r.size/shortIDBytes)
	}
	ids = min(ids, DefaultCapacity, r.size/2)
	return relationBytes(o, r.ref.ID, ids, r.size) + copiedBytes(r.fields)
}

// createBytes estimates the transaction bytes of a relation to be created, for a full
// index document with typical ids. The true size is known after the read: copyRelations
// creates fewer relations if they are larger.
func createBytes(o Options, id string, copied map[string]any) int {
	return relationBytes(o, id, o.Capacity, typicalBytes(o)) + copiedBytes(copied)
}

// typicalBytes returns the bytes of ids in a full index document with typical ids.
func typicalBytes(o Options) int { return min(o.fullBytes(), o.Capacity*typicalIDBytes) }

// refreshBytes estimates the transaction bytes of an update of a relation's copied
// fields. If createdAt changes, the feed's index entries are deleted and created.
func refreshBytes(o Options, r relationMeta, copied map[string]any) int {
	bytes := bytesIn(o, r) + copiedBytes(copied)
	if !sameValue(r.fields[fieldCreatedAt], copied[fieldCreatedAt]) {
		bytes += bytesIn(o, r)
	}
	return bytes
}

// copiesPerPage returns how many relations a page of a job creates: those of copiesBytes
// bytes with typical ids, at least one.
func copiesPerPage(o Options) int { return max(1, copiesBytes/typicalBytes(o)) }

// membersBytes estimates the bytes of a members transaction. It writes index documents of
// author u, and mirrors of followers, whose names and index entries repeat both ids about
// eight times.
func membersBytes(u string, followers []string, documents []documentChange) int {
	bytes := 8 * (bytesOf(followers) + len(followers)*idBytes(u))
	for _, d := range documents {
		bytes += d.after.SizeBytes + maxChangesBytes
	}
	return bytes
}

// packed splits items into parts, in order, of at most transactionBytes by bytes. An item
// above that is a part of its own.
func packed[T any](items []T, bytes func(T) int) (parts [][]T) {
	from, sum := 0, 0
	for n, item := range items {
		b := bytes(item)
		if n > from && sum+b > transactionBytes {
			parts, from, sum = append(parts, items[from:n]), n, 0
		}
		sum += b
	}
	if from < len(items) {
		parts = append(parts, items[from:])
	}
	return parts
}

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

// entriesOf is how many index entries a value makes that is indexed
// automatically, ascending and descending: two, and two for each element of an
// array, which production has been seen to count.
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

// copiedBytes estimates what copied fields take of a transaction, once and with
// their index entries. The rest of relationBytes has room for those of a few.
func copiedBytes(fields map[string]any) int {
	const few, entry = 20, 160 // an entry repeats the name of the relation
	return 3*valueBytes(fields) + entry*max(0, entriesOf(fields)-few)
}

// relationBytes estimates what writing, or deleting, a relation takes of a
// transaction's 10 MiB: one of that document id with ids ids of together size
// bytes. Production counts the index entries with the document, and has been
// seen to count two for each element. Each repeats the relation's name.
func (o Options) relationBytes(id string, ids, size int) int {
	const (
		rest  = 8 << 10 // the document's other fields and their entries, in most relations
		entry = 32 + 8  // what an entry of a composite costs besides, and createdAt
	)
	name := 16 + len(Relations) + 1 + len(id) + 1
	return size + rest + 2*(ids*(name+entry)+size)
}

// fullRelationBytes is relationBytes of a relation that is as large as one may be.
func (o Options) fullRelationBytes(id string) int {
	return o.relationBytes(id, o.Capacity, o.fullBytes())
}

// fullBytes are the most bytes that the ids of an index document may take.
func (o Options) fullBytes() int { return min(o.FollowersBytes, o.Capacity*(maxIDBytes+1)) }

// bytesIn estimates the same of a relation that was read without its followers.
func (o Options) bytesIn(r relationMeta) int {
	if r.size <= 0 { // empty, or not known
		return o.fullRelationBytes(r.ref.ID)
	}
	ids := o.Capacity // as many as an index document may have
	if r.size > o.typicalBytes() {
		// Long ids, or more of them than that: it was made when the capacity was larger.
		ids = max(ids, r.size/shortIDBytes)
	}
	ids = min(ids, DefaultCapacity, r.size/2)
	return o.relationBytes(r.ref.ID, ids, r.size) + copiedBytes(r.fields)
}

// createBytes estimates the same of a relation that is to be created, of a full
// index document with typical ids. What it holds is known when it is read:
// copyRelations takes fewer where they are larger.
func (o Options) createBytes(id string, copied map[string]any) int {
	return o.relationBytes(id, o.Capacity, o.typicalBytes()) + copiedBytes(copied)
}

// typicalBytes are the bytes of ids in a full index document with typical ids.
func (o Options) typicalBytes() int { return min(o.fullBytes(), o.Capacity*typicalIDBytes) }

// refreshBytes estimates what giving a relation other copied fields takes. With
// another createdAt the feed's index entries go and come.
func (o Options) refreshBytes(r relationMeta, copied map[string]any) int {
	bytes := o.bytesIn(r) + copiedBytes(copied)
	if !sameValue(r.fields[fieldCreatedAt], copied[fieldCreatedAt]) {
		bytes += o.bytesIn(r)
	}
	return bytes
}

// copiesPerPage is how many relations a page of a job creates: copiesBytes of
// them, if their ids are typical, and at least one.
func (o Options) copiesPerPage() int { return max(1, copiesBytes/o.typicalBytes()) }

// membersBytes estimates what a members transaction takes, which writes
// documents, index documents of author u, and mirrors of followers: their names
// and index entries repeat both ids about eight times.
func membersBytes(u string, followers []string, documents []documentChange) int {
	bytes := 8 * (bytesOf(followers) + len(followers)*idBytes(u))
	for _, d := range documents {
		bytes += d.after.SizeBytes + maxChangesBytes
	}
	return bytes
}

// packed cuts items into parts, in their order, that each take at most
// transactionBytes by bytes; an item that takes more is one by itself.
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

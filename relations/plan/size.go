package plan

import (
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// copiedBytes estimates the transaction bytes of copied fields, stored once and with
// their index entries. RelationBytes has room for the entries of a few.
func copiedBytes(fields map[string]any) int {
	const few, entry = 20, 160 // an entry repeats the relation's name
	return 3*schema.ValueBytes(fields) + entry*max(0, schema.EntriesOf(fields)-few)
}

// RelationBytes estimates how many of a transaction's 10 MiB a write or delete of a
// relation takes. The relation has this document id, and ids follower ids of size bytes
// in all. Production counts index entries with the document, and was observed to count
// two for each element. Each entry repeats the relation's name.
func RelationBytes(id string, ids, size int) int {
	const (
		rest  = 8 << 10 // the other fields and their entries, in most relations
		entry = 32 + 8  // overhead of a composite index entry, and createdAt
	)
	name := 16 + len(names.Relations) + 1 + len(id) + 1
	return size + rest + 2*(ids*(name+entry)+size)
}

// FullBytes is [RelationBytes] for the largest possible relation.
func FullBytes(o schema.Config, id string) int {
	return RelationBytes(id, o.Capacity, o.FullBytes())
}

// Bytes estimates the transaction bytes of a relation that was read without its array.
func (r Relation) Bytes(o schema.Config) int {
	if r.SizeBytes <= 0 { // empty, or unknown
		return FullBytes(o, r.Ref.ID)
	}
	ids := o.Capacity // the most in an index document
	if r.SizeBytes > typicalBytes(o) {
		// Long ids, or more ids: the relation was created when the capacity was larger.
		ids = max(ids, r.SizeBytes/schema.ShortIDBytes)
	}
	ids = min(ids, schema.DefaultCapacity, r.SizeBytes/2)
	return RelationBytes(r.Ref.ID, ids, r.SizeBytes) + copiedBytes(r.Fields)
}

// CreateBytes estimates the transaction bytes of a relation to be created, for a full
// index document with typical ids. The true size is known after the read: a fanout
// creates fewer relations if they are larger.
func CreateBytes(o schema.Config, id string, copied map[string]any) int {
	return RelationBytes(id, o.Capacity, typicalBytes(o)) + copiedBytes(copied)
}

// typicalBytes returns the bytes of ids in a full index document with typical ids.
func typicalBytes(o schema.Config) int { return min(o.FullBytes(), o.Capacity*schema.TypicalIDBytes) }

// RefreshBytes estimates the transaction bytes of an update of a relation's copied fields. If createdAt changes, the
// index entries for the feed are deleted and created.
func (r Relation) RefreshBytes(o schema.Config, copied map[string]any) int {
	bytes := r.Bytes(o) + copiedBytes(copied)
	if !schema.SameValue(r.Fields[schema.FieldCreatedAt], copied[schema.FieldCreatedAt]) {
		bytes += r.Bytes(o)
	}
	return bytes
}

// CopiesOfBytes returns how many relations have so many bytes of typical ids, at least one.
func CopiesOfBytes(o schema.Config, bytes int) int { return max(1, bytes/typicalBytes(o)) }

package plan

import (
	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Planned is how many relations of a post share a transaction or a page. An operation's
// reads depend on these numbers, since each transaction reads the post again.
type Planned struct {
	Create  int // relations that a fanout transaction creates
	Refresh int // relations that a refresh transaction updates, after an edit that keeps createdAt
	Drop    int // relations that a retract transaction deletes
	Copies  int // relations that one page of a job creates
	Inline  int // relations that a handler creates
	Range   int // index documents of a job
}

// PlannedFor returns the numbers for a post with this id. Its relations copy the fields in
// copied, createdAt included. Its index documents have sizeBytes bytes of ids.
func PlannedFor(o schema.Config, post string, copied map[string]any, sizeBytes int) Planned {
	o = o.WithDefaults()
	id := schema.RelationID(post, schema.IndexID(1))
	known := Relation{Ref: &firestore.DocumentRef{ID: id}, SizeBytes: sizeBytes, Fields: copied}
	fit := func(bytes int) int { return max(1, schema.TransactionBytes/bytes) }
	create := fit(CreateBytes(o, id, copied))
	if sizeBytes > typicalBytes(o) { // after it has read the size, a fanout creates fewer
		create = min(create, max(1, schema.TransactionLimit/known.Bytes(o)))
	}
	return Planned{
		Create: create, Refresh: fit(known.RefreshBytes(o, copied)), Drop: fit(known.Bytes(o)),
		Copies: CopiesOfBytes(o, schema.CopiesBytes), Inline: min(o.InlineLimit, CopiesOfBytes(o, schema.InlineBytes)), Range: o.Range,
	}
}

package relations

import "cloud.google.com/go/firestore"

// Planned is how the relations of a post share transactions and pages: what the
// reads of an operation depend on, since each transaction reads the post again.
type Planned struct {
	Create  int // relations in a transaction of fanout
	Refresh int // … of refresh, after an edit that leaves createdAt
	Drop    int // … of retract
	Copies  int // that one page of a job creates
	Lane    int // index documents in a lane
}

// Planned is that of a post with this id, whose relations have copied fields
// (createdAt is one) and index documents of sizeBytes bytes of ids.
func (o Options) Planned(post string, copied map[string]any, sizeBytes int) Planned {
	o = o.withDefaults()
	id := relationID(post, indexID(1))
	known := relationMeta{ref: &firestore.DocumentRef{ID: id}, size: sizeBytes, fields: copied}
	fit := func(bytes int) int { return max(1, transactionBytes/bytes) }
	create := fit(o.createBytes(id, copied))
	if sizeBytes > o.typicalBytes() { // which the transaction finds out
		create = min(create, max(1, transactionLimit/o.bytesIn(known)))
	}
	return Planned{
		Create: create, Refresh: fit(o.refreshBytes(known, copied)), Drop: fit(o.bytesIn(known)),
		Copies: o.copiesPerPage(), Lane: o.Lane,
	}
}

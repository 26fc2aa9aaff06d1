package followers

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// RepairAttempts is how often a repair tries a transaction that conflicts with live
// events: more often than the client's default of five.
var RepairAttempts = firestore.MaxAttempts(20)

// Mending is the kind of correction that makes an index document consistent.
type Mending int

const (
	// Sound documents need nothing.
	Sound Mending = iota
	// recount corrects count and size, for the same followers.
	recount
	// Rewrite changes the followers, or sets a version to which no change log leads.
	Rewrite
)

// MendIndex returns the consistent index document, and the correction that it needs. It checks only the document
// itself, not the follows. A missing document, which is a gap between others, is created without followers. An
// unreadable document keeps the ids that can be read.
//
// A rewritten document has no changes and is not backfilled, so every relation of it is
// copied whole. Its version is new: one more, or the time in milliseconds if the version
// is lost.
func MendIndex(doc *firestore.DocumentSnapshot, now time.Time) (schema.IndexDocument, Mending) {
	var index schema.IndexDocument
	readable := doc.Exists() && doc.DataTo(&index) == nil
	if !readable {
		index = schema.SalvageIndexDocument(schema.FieldsOf(doc, schema.FieldFollowers, schema.FieldVersion), now)
	}
	newest := index.Version
	if n := len(index.Changes); n > 0 {
		newest = index.Changes[n-1].Version
	}
	followers, size := schema.DistinctIDs(index.Followers)
	whole := !readable || len(followers) < len(index.Followers) || newest != index.Version
	recounted := index.Count != len(followers) || index.SizeBytes != size
	index.Followers, index.Count, index.SizeBytes = followers, len(followers), size
	switch {
	case whole:
		index.Version = max(index.Version, newest) + 1
		index.Changes, index.Backfilled = []schema.Change{}, false
		// Our clock may be behind Firestore's.
		index.Rewritten = max(now.UnixMicro(), doc.UpdateTime.UnixMicro()+1)
		return index, Rewrite
	case recounted:
		return index, recount
	default:
		return index, Sound
	}
}

// MendIndexDocument mends an index document in a transaction of its own, and returns the correction. Before it rewrites
// an existing document, it calls may, unless nil. If may returns an error, MendIndexDocument returns that error, and
// writes nothing.
//
// A crash after the commit leaves a document that is not backfilled, ahead of its relations. Verify reports that. The
// next repair, or the next event of a follower in the document, continues from there.
func (x *Graph) MendIndexDocument(ctx context.Context, u, i string, may func(*firestore.DocumentSnapshot) error) (how Mending, err error) {
	ref := x.db.IndexDocuments(u).Doc(i)
	err = x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		doc, err := store.GetMaybe(tx, ref)
		if err != nil {
			return err
		}
		how = Sound
		if n, _ := schema.IndexNumber(i); !doc.Exists() {
			next, err := store.GetMaybe(tx, x.db.IndexDocuments(u).Doc(schema.IndexID(n+1)))
			if err != nil || !next.Exists() {
				return err // not a gap: a purge has removed it, or a merge has closed it
			}
		}
		var index schema.IndexDocument
		switch index, how = MendIndex(doc, time.Now()); how {
		case recount:
			return tx.Update(ref, []firestore.Update{
				{Path: schema.FieldCount, Value: index.Count}, {Path: schema.FieldSizeBytes, Value: index.SizeBytes},
			})
		case Rewrite:
			if may != nil && doc.Exists() {
				if err := may(doc); err != nil {
					return err
				}
			}
			return tx.Set(ref, index)
		default:
			return nil
		}
	}, RepairAttempts)
	return how, err
}

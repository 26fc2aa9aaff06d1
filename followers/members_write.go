package followers

import (
	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// writeMembers writes a plan, and returns the followers whose edges it wrote. It
// writes edges first, so that their update times are the first of the transaction's
// results.
func (x *Graph) writeMembers(tx *firestore.Transaction, u string, followers []string, plan membersPlan) (changed []string, err error) {
	for _, f := range followers {
		if edge, ok := plan.edges[f]; ok {
			changed = append(changed, f)
			if err := tx.Set(x.db.Edge(u, f), edge); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range plan.documents {
		if err := WriteDocument(tx, x.db.IndexDocuments(u).Doc(c.ID), c); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// WriteDocument opens an index document, or changes it on condition that it is as it
// was read.
func WriteDocument(tx *firestore.Transaction, ref *firestore.DocumentRef, c DocumentChange) error {
	if c.opened {
		c.After.Followers = c.Add
		return tx.Create(ref, c.After)
	}
	unchanged := firestore.LastUpdateTime(c.After.Updated)
	updates := []firestore.Update{
		{Path: schema.FieldCount, Value: c.After.Count},
		{Path: schema.FieldSizeBytes, Value: c.After.SizeBytes},
		{Path: schema.FieldVersion, Value: c.After.Version},
		{Path: schema.FieldChanges, Value: c.After.Changes},
	}
	if len(c.Remove) > 0 {
		remove := firestore.Update{Path: schema.FieldFollowers, Value: firestore.ArrayRemove(store.Values(c.Remove)...)}
		if len(c.Add) == 0 {
			return tx.Update(ref, append(updates, remove), unchanged)
		}
		// One write cannot remove from an array and add to it.
		if err := tx.Update(ref, []firestore.Update{remove}, unchanged); err != nil {
			return err
		}
		return tx.Update(ref, append(updates, union(c.Add)))
	}
	if len(c.Add) > 0 {
		updates = append(updates, union(c.Add))
	}
	return tx.Update(ref, updates, unchanged)
}

func union(ids []string) firestore.Update {
	return firestore.Update{Path: schema.FieldFollowers, Value: firestore.ArrayUnion(store.Values(ids)...)}
}

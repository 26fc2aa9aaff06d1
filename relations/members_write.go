package relations

import "cloud.google.com/go/firestore"

// writeMembers writes a plan, and returns the followers whose mirrors it wrote. It
// writes mirrors first, so that their update times are the first of the transaction's
// results.
func (x *Index) writeMembers(tx *firestore.Transaction, u string, followers []string, plan membersPlan) (changed []string, err error) {
	for _, f := range followers {
		if mirror, ok := plan.mirrors[f]; ok {
			changed = append(changed, f)
			if err := tx.Set(x.mirror(u, f), mirror); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range plan.documents {
		if err := writeDocument(tx, x.indexDocuments(u).Doc(c.id), c); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// writeDocument opens an index document, or changes it on condition that it is as it
// was read.
func writeDocument(tx *firestore.Transaction, ref *firestore.DocumentRef, c documentChange) error {
	if c.opened {
		c.after.Followers = c.add
		return tx.Create(ref, c.after)
	}
	unchanged := firestore.LastUpdateTime(c.after.updated)
	updates := []firestore.Update{
		{Path: fieldCount, Value: c.after.Count},
		{Path: fieldSizeBytes, Value: c.after.SizeBytes},
		{Path: fieldVersion, Value: c.after.Version},
		{Path: fieldChanges, Value: c.after.Changes},
	}
	if len(c.remove) > 0 {
		remove := firestore.Update{Path: fieldFollowers, Value: firestore.ArrayRemove(anys(c.remove)...)}
		if len(c.add) == 0 {
			return tx.Update(ref, append(updates, remove), unchanged)
		}
		// One write cannot remove from an array and add to it.
		if err := tx.Update(ref, []firestore.Update{remove}, unchanged); err != nil {
			return err
		}
		return tx.Update(ref, append(updates, union(c.add)))
	}
	return tx.Update(ref, append(updates, union(c.add)), unchanged)
}

func union(ids []string) firestore.Update {
	return firestore.Update{Path: fieldFollowers, Value: firestore.ArrayUnion(anys(ids)...)}
}

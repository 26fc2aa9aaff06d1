package jobs

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
)

// Delete deletes a job document and those of its lanes, in any state. A running step
// can then write nothing to them. A missing job is no error. It costs a read, and a
// delete for each document.
//
// The parent is deleted last, so that after a crash it still says what to delete.
func (s *Store) Delete(ctx context.Context, id string) error {
	job, err := s.Get(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, ref := range append(s.LaneRefs(job), s.Ref(id)) {
		if _, err := ref.Delete(ctx); err != nil {
			return fmt.Errorf("delete job %q: %w", id, err)
		}
	}
	return nil
}

// DeleteIn is Delete of several jobs in a transaction, which has written nothing yet.
func (s *Store) DeleteIn(tx *firestore.Transaction, ids ...string) error {
	refs := make([]*firestore.DocumentRef, len(ids))
	for n, id := range ids {
		refs[n] = s.Ref(id)
	}
	snaps, err := tx.GetAll(refs)
	if err != nil {
		return err
	}
	for n, snap := range snaps {
		if !snap.Exists() {
			continue
		}
		for _, ref := range append(s.LaneRefs(s.Show(snap)), refs[n]) {
			if err := tx.Delete(ref); err != nil {
				return err
			}
		}
	}
	return nil
}

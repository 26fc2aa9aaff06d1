package jobdocs

import (
	"context"
	"fmt"
	"strings"

	"cloud.google.com/go/firestore"
)

// Delete deletes a job document, in any state. A running step can then write nothing to it.
// A missing job is no error.
func (s *Store) Delete(ctx context.Context, id string) error {
	ref := s.Ref(id)
	if ref == nil {
		return nil
	}
	if _, err := ref.Delete(ctx); err != nil {
		return fmt.Errorf("delete job %q: %w", id, err)
	}
	return nil
}

// DeleteIn is Delete of several jobs in a transaction that has written nothing yet. An id that ends in "~"
// stands for all jobs whose ids begin with it. DeleteIn costs a read for each id, or for each job that a
// prefix finds, and a delete for each job.
func (s *Store) DeleteIn(tx *firestore.Transaction, ids ...string) error {
	var names []*firestore.DocumentRef
	var found []*firestore.DocumentSnapshot
	for _, id := range ids {
		if !strings.HasSuffix(id, "~") {
			names = append(names, s.Ref(id))
			continue
		}
		some, err := tx.Documents(s.DocumentsNamed(id).Select()).GetAll()
		if err != nil {
			return err
		}
		found = append(found, some...)
	}
	if len(names) > 0 {
		some, err := tx.GetAll(names)
		if err != nil {
			return err
		}
		found = append(found, some...)
	}
	for _, snap := range found {
		if !snap.Exists() {
			continue
		}
		if err := tx.Delete(snap.Ref); err != nil {
			return err
		}
	}
	return nil
}

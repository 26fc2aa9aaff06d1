package load

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// create writes the missing follower documents, as the last write of Adopt. A crash
// meanwhile leaves the rest to the next call. You may call it again.
func (a *adoption) create(ctx context.Context) error {
	for len(a.missing) > 0 {
		batch := a.missing[:min(schema.MaxBatch, len(a.missing))]
		if err := a.createBatch(ctx, batch); err != nil {
			return fmt.Errorf("follower documents of %s: %w", a.Author, err)
		}
		a.missing = a.missing[len(batch):]
	}
	return nil
}

// createBatch skips documents that exist, because of a follow meanwhile.
//
// The author's account may have been purged since the followers were placed. The purge
// found no follower documents, so their edges stayed. If the account is gone,
// createBatch deletes the edges. If it is back, they may name index documents of the
// former life: a follower document that is younger than its edge makes the event look.
func (a *adoption) createBatch(ctx context.Context, batch []missingFollow) error {
	return work.UntilSettled(ctx, func() (int, error) {
		err := a.db.Client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
			purged, err := a.graph.PurgesOf(ctx, tx, []string{a.Author})
			if err != nil {
				return err
			}
			buried, before := purged[a.Author]
			for _, f := range batch {
				if buried {
					if err := tx.Delete(a.db.Edge(a.Author, f.id)); err != nil {
						return err
					}
					continue
				}
				if before {
					f.since = f.since.Add(time.Microsecond) // the event compares the edge with the index document
				}
				if err := tx.Create(a.db.Follower(a.Author, f.id), map[string]any{schema.FieldCreatedAt: f.since}); err != nil {
					return err
				}
			}
			return nil
		})
		if status.Code(err) != codes.AlreadyExists {
			return 0, err
		}
		batch, err = a.stillMissing(ctx, batch)
		return len(batch), err
	})
}

// stillMissing returns the followers of batch without a follower document.
func (a *adoption) stillMissing(ctx context.Context, batch []missingFollow) ([]missingFollow, error) {
	refs := make([]*firestore.DocumentRef, len(batch))
	for n, f := range batch {
		refs[n] = a.db.Follower(a.Author, f.id)
	}
	docs, err := a.db.Client.GetAll(ctx, refs)
	if err != nil {
		return nil, err
	}
	var missing []missingFollow
	for n, doc := range docs {
		if !doc.Exists() {
			missing = append(missing, batch[n])
		}
	}
	return missing, nil
}

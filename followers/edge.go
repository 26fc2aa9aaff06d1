package followers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/runtime/logging"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema"
)

// remakeEdge replaces the damaged edge of u's follower f. The new edge names the
// index document that holds f, and those whose change log says that f has left. Every
// change of f's place reads the edge. So nothing changes the place before the new
// edge is written.
//
// It reads u's index documents whole, one after the other. Their arrays have no index
// to find a follower, because each follow would pay for that. The reads are outside any
// batch, so the author's other events continue. With more than MaxRemake index
// documents, it returns ErrDamaged, and leaves the edge to repair.
//
// A crash before the write leaves the damaged edge. The event is redelivered.
func (x *Graph) remakeEdge(ctx context.Context, u, f string, damage *schema.Damaged) error {
	n, err := bulk.Count(ctx, x.db.IndexDocuments(u).Limit(schema.MaxRemake+1))
	if err == nil && n > schema.MaxRemake {
		return &schema.Damaged{Path: damage.Path, Author: u, Updated: damage.Updated,
			Cause: fmt.Errorf("%w; %s has too many index documents to search for the follower: run relationindex repair", damage.Cause, x.db.User(u).Path)}
	}
	var edge schema.Edge
	var created time.Time
	if err == nil {
		edge, created, err = x.edgeByIndexes(ctx, u, f)
	}
	if err != nil {
		return fmt.Errorf("recreate %s: %w", damage.Path, err)
	}
	made := false
	err = x.db.Client.RunTransaction(x.WithoutFollowers(ctx), func(_ context.Context, tx *firestore.Transaction) error {
		made = false
		snaps, err := tx.GetAll(x.FollowRefs(u, []string{f}))
		if err != nil {
			return err
		}
		if !snaps[1].UpdateTime.Equal(damage.Updated) {
			return nil // another event has replaced it
		}
		if edge.IndexID != "" {
			index, err := store.GetMaybe(tx, x.db.IndexDocuments(u).Doc(edge.IndexID))
			if err != nil {
				return err
			}
			if !index.CreateTime.Equal(created) {
				return store.ErrStale // removed since, by a purge or a merge: the event is redelivered
			}
		}
		made, edge.CreatedAt = true, ReadFollowLenient(u, f, snaps[0], snaps[1]).Since
		return tx.Set(snaps[1].Ref, edge)
	})
	if err != nil {
		return fmt.Errorf("recreate %s: %w", damage.Path, err)
	}
	if made {
		x.db.Options.Logger.ErrorContext(ctx, "edge damaged; recreated from index documents",
			logging.Document, damage.Path, logging.Damage, damage.Cause)
	}
	return nil
}

// edgeByIndexes returns the edge of u's follower f according to u's index
// documents. If an index document that cannot be read may hold f, it returns
// ErrDamaged. If several hold f, the edge names the first. Verify reports the others.
// created is the create time of the index document that the edge names.
func (x *Graph) edgeByIndexes(ctx context.Context, u, f string) (edge schema.Edge, created time.Time, err error) {
	share, err := x.Pool.Memory.Take(ctx, x.db.Options.FullBytes())
	if err != nil {
		return schema.Edge{}, created, err
	}
	defer share.Release()
	var damaged []error
	q := x.db.IndexDocuments(u).OrderBy(firestore.DocumentID, firestore.Asc).Select(schema.FieldFollowers, schema.FieldChanges)
	for doc, err := range store.Documents(ctx, q) {
		if err != nil {
			return schema.Edge{}, created, err
		}
		var index schema.IndexDocument
		if _, ok := schema.IndexNumber(doc.Ref.ID); !ok {
			continue // not ours
		}
		if err := doc.DataTo(&index); err != nil {
			damaged = append(damaged, schema.NewDamagedIndex(doc, err))
			continue
		}
		switch {
		case edge.IndexID == "" && slices.Contains(index.Followers, f):
			edge.IndexID, created = doc.Ref.ID, doc.CreateTime
		case slices.ContainsFunc(index.Changes, func(c schema.Change) bool { return slices.Contains(c.Remove, f) }):
			edge.Left = append(edge.Left, doc.Ref.ID)
		}
	}
	if edge.IndexID == "" && len(damaged) > 0 {
		return schema.Edge{}, created, errors.Join(damaged...)
	}
	return edge, created, nil
}

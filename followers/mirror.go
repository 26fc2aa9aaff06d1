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

// remakeMirror replaces the damaged mirror of u's follower f. The new mirror names the
// index document that holds f, and those whose change log says that f has left. Every
// change of f's place reads the mirror. So nothing changes the place before the new
// mirror is written.
//
// It reads u's index documents whole, one after the other. Their arrays have no index
// to find a follower, because each follow would pay for that. The reads are outside any
// batch, so the author's other events continue. With more than MaxRemake index
// documents, it returns ErrDamaged, and leaves the mirror to repair.
//
// A crash before the write leaves the damaged mirror. The event is redelivered.
func (x *Graph) remakeMirror(ctx context.Context, u, f string, damage *schema.DamagedMirror) error {
	n, err := bulk.Count(ctx, x.db.IndexDocuments(u).Limit(schema.MaxRemake+1))
	if err == nil && n > schema.MaxRemake {
		return &schema.DamagedMirror{Path: damage.Path, Updated: damage.Updated,
			Cause: fmt.Errorf("%w; %s has too many index documents to look for the follower: run relationindex repair", damage.Cause, x.db.User(u).Path)}
	}
	var mirror schema.Mirror
	var created time.Time
	if err == nil {
		mirror, created, err = x.mirrorByIndexes(ctx, u, f)
	}
	if err != nil {
		return fmt.Errorf("make %s anew: %w", damage.Path, err)
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
		if mirror.IndexID != "" {
			index, err := store.GetMaybe(tx, x.db.IndexDocuments(u).Doc(mirror.IndexID))
			if err != nil {
				return err
			}
			if !index.CreateTime.Equal(created) {
				return store.ErrStale // removed since, by a purge or a merge: the event is redelivered
			}
		}
		made, mirror.CreatedAt = true, ReadFollowLenient(u, f, snaps[0], snaps[1]).Since
		return tx.Set(snaps[1].Ref, mirror)
	})
	if err != nil {
		return fmt.Errorf("make %s anew: %w", damage.Path, err)
	}
	if made {
		x.db.Options.Logger.ErrorContext(ctx, "mirror damaged; made anew from index documents",
			logging.Document, damage.Path, logging.Damage, damage.Cause)
	}
	return nil
}

// mirrorByIndexes returns the mirror of u's follower f according to u's index
// documents. If an index document that cannot be read may hold f, it returns
// ErrDamaged. If several hold f, the mirror names the first. Verify reports the others.
// created is the create time of the index document that the mirror names.
func (x *Graph) mirrorByIndexes(ctx context.Context, u, f string) (mirror schema.Mirror, created time.Time, err error) {
	share, err := x.Pool.Memory.Take(ctx, x.db.Options.FullBytes())
	if err != nil {
		return schema.Mirror{}, created, err
	}
	defer share.Release()
	var damaged []error
	q := x.db.IndexDocuments(u).OrderBy(firestore.DocumentID, firestore.Asc).Select(schema.FieldFollowers, schema.FieldChanges)
	for doc, err := range store.Documents(ctx, q) {
		if err != nil {
			return schema.Mirror{}, created, err
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
		case mirror.IndexID == "" && slices.Contains(index.Followers, f):
			mirror.IndexID, created = doc.Ref.ID, doc.CreateTime
		case slices.ContainsFunc(index.Changes, func(c schema.Change) bool { return slices.Contains(c.Remove, f) }):
			mirror.Left = append(mirror.Left, doc.Ref.ID)
		}
	}
	if mirror.IndexID == "" && len(damaged) > 0 {
		return schema.Mirror{}, created, errors.Join(damaged...)
	}
	return mirror, created, nil
}

package relations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/runtime/logging"
)

// remakeMirror replaces the damaged mirror of u's follower f. The new mirror names the
// index document that holds f, and those whose change log says that f has left. Every
// change of f's place reads the mirror. So nothing changes the place before the new
// mirror is written.
//
// It reads u's index documents whole, one after the other. Their arrays have no index
// to find a follower, because each follow would pay for that. The reads are outside any
// batch, so the author's other events continue. With more than maxRemake index
// documents, it returns ErrDamaged, and leaves the mirror to repair.
//
// A crash before the write leaves the damaged mirror. The event is redelivered.
func (x *Index) remakeMirror(ctx context.Context, u, f string, damage *damagedMirror) error {
	n, err := bulk.Count(ctx, x.indexDocuments(u).Limit(maxRemake+1))
	if err == nil && n > maxRemake {
		return &damagedMirror{path: damage.path, updated: damage.updated,
			cause: fmt.Errorf("%w; %s has too many index documents to look for the follower: run relationindex repair", damage.cause, x.user(u).Path)}
	}
	var mirror Mirror
	var created time.Time
	if err == nil {
		mirror, created, err = x.mirrorByIndexes(ctx, u, f)
	}
	if err != nil {
		return fmt.Errorf("make %s anew: %w", damage.path, err)
	}
	made := false
	err = x.client.RunTransaction(x.withoutFollowers(ctx), func(_ context.Context, tx *firestore.Transaction) error {
		made = false
		snaps, err := tx.GetAll(x.followRefs(u, []string{f}))
		if err != nil {
			return err
		}
		if !snaps[1].UpdateTime.Equal(damage.updated) {
			return nil // another event has replaced it
		}
		if mirror.IndexID != "" {
			index, err := getMaybe(tx, x.indexDocuments(u).Doc(mirror.IndexID))
			if err != nil {
				return err
			}
			if !index.CreateTime.Equal(created) {
				return errStale // removed since, by a purge or a merge: the event is redelivered
			}
		}
		made, mirror.CreatedAt = true, readFollowAnyhow(u, f, snaps[0], snaps[1]).since
		return tx.Set(snaps[1].Ref, mirror)
	})
	if err != nil {
		return fmt.Errorf("make %s anew: %w", damage.path, err)
	}
	if made {
		x.opts.Logger.ErrorContext(ctx, "mirror damaged; made anew from index documents",
			logging.Document, damage.path, logging.Damage, damage.cause)
	}
	return nil
}

// mirrorByIndexes returns the mirror of u's follower f according to u's index
// documents. If an index document that cannot be read may hold f, it returns
// ErrDamaged. If several hold f, the mirror names the first. Verify reports the others.
// created is the create time of the index document that the mirror names.
func (x *Index) mirrorByIndexes(ctx context.Context, u, f string) (mirror Mirror, created time.Time, err error) {
	share, err := x.memory.Take(ctx, x.opts.fullBytes())
	if err != nil {
		return Mirror{}, created, err
	}
	defer share.Release()
	var damaged []error
	q := x.indexDocuments(u).OrderBy(firestore.DocumentID, firestore.Asc).Select(fieldFollowers, fieldChanges)
	for doc, err := range documents(ctx, q) {
		if err != nil {
			return Mirror{}, created, err
		}
		var index IndexDocument
		if _, ok := indexNumber(doc.Ref.ID); !ok {
			continue // not ours
		}
		if err := doc.DataTo(&index); err != nil {
			damaged = append(damaged, damageOf(doc, err))
			continue
		}
		switch {
		case mirror.IndexID == "" && slices.Contains(index.Followers, f):
			mirror.IndexID, created = doc.Ref.ID, doc.CreateTime
		case slices.ContainsFunc(index.Changes, func(c Change) bool { return slices.Contains(c.Remove, f) }):
			mirror.Left = append(mirror.Left, doc.Ref.ID)
		}
	}
	if mirror.IndexID == "" && len(damaged) > 0 {
		return Mirror{}, created, errors.Join(damaged...)
	}
	return mirror, created, nil
}

package relations

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/logging"
)

// remakeMirror replaces the damaged mirror of u's follower f by what u's index
// documents say: which of them holds f, and whose change log says that f has
// left. Who changes f's place reads the mirror, and so nobody does until it is made.
//
// It reads u's index documents whole, one after the other: their arrays have no
// index by which one could be found, since each follow would pay for it. That
// happens outside any batch: the author's other events go on. Where there are more
// than maxRemake it returns ErrDamaged, and leaves the mirror to repair.
//
// A crash before the write leaves the damaged mirror; the event comes again.
func (x *Index) remakeMirror(ctx context.Context, u, f string, damage *damagedMirror) error {
	n, err := chunker.Count(ctx, x.indexDocuments(u).Limit(maxRemake+1))
	if err == nil && n > maxRemake {
		return &damagedMirror{path: damage.path, updated: damage.updated,
			cause: fmt.Errorf("%w; %s has too many index documents to look for the follower: run relationindex repair", damage.cause, x.user(u).Path)}
	}
	var mirror Mirror
	if err == nil {
		mirror, err = x.mirrorByIndexes(ctx, u, f)
	}
	if err != nil {
		return fmt.Errorf("make %s anew: %w", damage.path, err)
	}
	made := false
	err = x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		made = false
		snaps, err := tx.GetAll(x.followRefs(u, []string{f}))
		if err != nil {
			return err
		}
		if !snaps[1].UpdateTime.Equal(damage.updated) {
			return nil // another has
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

// mirrorByIndexes is the mirror of u's follower f as u's index documents have
// it. If one of them that cannot be read may hold f, it returns ErrDamaged. Of
// several that hold f it names the first; verify names the others.
func (x *Index) mirrorByIndexes(ctx context.Context, u, f string) (mirror Mirror, err error) {
	held, err := x.flight.take(ctx, x.opts.fullBytes())
	if err != nil {
		return Mirror{}, err
	}
	defer held.release()
	var damaged []error
	q := x.indexDocuments(u).OrderBy(firestore.DocumentID, firestore.Asc).Select(fieldFollowers, fieldChanges)
	for doc, err := range documents(ctx, q) {
		if err != nil {
			return Mirror{}, err
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
			mirror.IndexID = doc.Ref.ID
		case slices.ContainsFunc(index.Changes, func(c Change) bool { return slices.Contains(c.Remove, f) }):
			mirror.Left = append(mirror.Left, doc.Ref.ID)
		}
	}
	if mirror.IndexID == "" && len(damaged) > 0 {
		return Mirror{}, errors.Join(damaged...)
	}
	return mirror, nil
}

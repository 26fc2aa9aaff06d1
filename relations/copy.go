package relations

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/followers"
	"example.com/relationindex/internal/batch"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// copyRelations writes the relations of posts × indexes of audience a as full copies of
// the current posts and index documents. It skips posts that are gone or have another
// audience.
//
// It reads posts and index documents in the transaction that writes the relations. So a members transaction either
// commits before, and the copy includes it, or commits after, and its sync finds the relation. And no relation is
// written after a retract. Reads: posts + indexes. Writes: posts × indexes. If the documents are too large for one
// transaction, it uses several, one after the other. It resizes the share for each.
//
// It skips damaged index documents. After the others are copied, it returns ErrDamaged.
//
// A crash before the commit leaves relations missing. The event is redelivered, or the
// job's page runs again. You may repeat the call.
func (x *Delivery) copyRelations(ctx context.Context, share *batch.Share, a string, ids, indexes []string) error {
	var damaged []error
	for len(indexes) > 0 {
		n, err := x.copyOnce(ctx, share, a, ids, indexes)
		if errors.Is(err, work.ErrTooMuch) {
			half := len(ids) / 2
			if err := x.copyRelations(ctx, share, a, ids[:half], indexes); err != nil && !schema.OnlyDamaged(err) {
				return err
			}
			// The second half finds the same damaged index documents.
			ids, n = ids[half:], 0
		} else if schema.OnlyDamaged(err) {
			damaged = append(damaged, err)
		} else if err != nil {
			return err // the retry finds the damaged index documents again
		}
		indexes = indexes[n:]
	}
	return errors.Join(damaged...)
}

// copyOnce is one transaction of copyRelations, on the first n of indexes: as many as fit by their actual size, and at
// least one. It returns ErrTooMuch if several posts are too many for the first index document. After the commit, it
// returns ErrDamaged for damaged documents among the first n.
//
// Its memory is bounded even if index documents hold more than their size field says. It reads at once only as many
// full documents as its share would hold. It reads only the copied fields of posts. If several posts copy large fields,
// it returns ErrTooMuch.
func (x *Delivery) copyOnce(ctx context.Context, share *batch.Share, a string, ids, indexes []string) (n int, err error) {
	if err := share.Resize(ctx, len(indexes)*x.db.Config.FullBytes()); err != nil {
		return 0, err
	}
	unlimited := ctx
	ctx = posts.OnlyBeside(ctx, x.db)
	if len(ids) > 1 {
		ctx, _ = wire.WithCeiling(ctx, 2*share.Bytes()+schema.MaxDocumentBytes)
	}
	var damaged, miscounts []error
	err = x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		n, damaged, miscounts = 0, nil, nil
		horizon, err := x.db.Horizons.Read(unlimited) // each try reads the horizon again: see [schema.HorizonTTL]
		if err != nil {
			return err
		}
		var states []posts.Post
		var there []schema.IndexDocument
		var gone []string // index documents of an account that is being purged
		var total plan.Copies
		for at := 0; n == at && at < len(indexes); {
			part := indexes[at:min(len(indexes), at+total.Next(x.db.Config, ids, share.Bytes()))]
			refs := make([]*firestore.DocumentRef, 0, len(ids)+len(part))
			for _, p := range ids {
				refs = append(refs, x.db.Post(p))
			}
			if at > 0 {
				refs = refs[:0] // they are already read
			}
			for _, i := range part {
				refs = append(refs, x.db.IndexDocuments(a).Doc(i))
			}
			snaps, err := tx.GetAll(refs)
			if err != nil {
				return err
			}
			if at == 0 {
				states, snaps = posts.DecodeFor(x.db.Config, a, snaps[:len(ids)]), snaps[len(ids):]
			}
			at += len(part)
			for _, snap := range snaps {
				if !snap.Exists() {
					gone = append(gone, snap.Ref.ID)
					n++
					continue
				}
				index, err := schema.DecodeIndexDocument(snap)
				if err != nil {
					damaged = append(damaged, err)
					n++
					continue
				}
				with := total.Plus(plan.CopiesOf(states, index))
				if n > 0 && with.Transaction > schema.TransactionLimit {
					break
				}
				if err := followers.Miscounted(snap, index); err != nil {
					miscounts = append(miscounts, err)
					index.SizeBytes = schema.IDsBytes(index.Followers)
				}
				total = with
				there = append(there, index)
				n++
			}
		}
		if total.Transaction > schema.TransactionLimit && len(ids) > 1 {
			return work.ErrTooMuch
		}
		share.Shrink(total.IDs)
		for _, state := range states {
			for _, i := range gone { // such a relation belongs to an earlier audience of the post
				if err := tx.Delete(x.db.Relation(state.ID, i)); err != nil {
					return err
				}
			}
			for _, index := range there {
				if err := tx.Set(x.db.Relation(state.ID, index.ID), plan.Data(state, index, horizon)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if errors.Is(err, wire.ErrTooLarge) {
		err = work.ErrTooMuch
	}
	if status.Code(err) == codes.Aborted { // by locks: otherwise all events that share this pass would fail
		err = fmt.Errorf("%w: %w", store.ErrStale, err)
	}
	if err != nil {
		return n, err
	}
	x.graph.MendOnTheWay(ctx, miscounts)
	return n, errors.Join(damaged...)
}

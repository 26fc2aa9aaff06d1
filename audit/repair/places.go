package repair

import (
	"context"
	"errors"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/followers"
	"example.com/relationindex/schema"
)

// errTooLarge says that a batch is too large for one transaction. It never leaves this
// file.
var errTooLarge = errors.New("batch is too large for one transaction")

// repairPlaces makes the places and edges of some followers of u match whether they
// follow. One transaction writes index documents and edges. Followers without a place
// then join as if they had just followed. hints names index documents that held each
// follower. Followers with another place leave the index documents in from.
//
// It returns the index documents that it changed, and the followers who left index
// documents whose relations may still hold them.
//
// A crash between the two transactions leaves edges without a place. Verify reports
// them, and an event or the next repair gives them one.
func (x *Repairer) repairPlaces(ctx context.Context, u string, batch []string, hints map[string][]string, from map[string]bool) (changed, unsettled []string, err error) {
	plan, err := x.placesTransaction(ctx, u, batch, hints, from)
	if len(batch) > 1 && (errors.Is(err, errTooLarge) || status.Code(err) == codes.InvalidArgument) {
		half := len(batch) / 2
		if changed, unsettled, err = x.repairPlaces(ctx, u, batch[:half], hints, from); err != nil {
			return nil, nil, err
		}
		changedToo, unsettledToo, err := x.repairPlaces(ctx, u, batch[half:], hints, from)
		return append(changed, changedToo...), append(unsettled, unsettledToo...), err
	}
	if err != nil {
		return nil, nil, err
	}
	for _, c := range plan.documents {
		changed = append(changed, c.ID)
	}
	if len(plan.homeless) > 0 {
		joined, err := x.graph.CommitAll(ctx, u, plan.homeless, followers.Assumption{From: from})
		if err != nil {
			return nil, nil, err
		}
		for _, m := range joined {
			changed = append(changed, m.Indexes()...)
		}
	}
	return changed, plan.unsettled, nil
}

// placesTransaction carries out planPlaces. It reads follower documents, edges, and the
// whole index documents concerned. A live event on any of these comes before it or after
// it, and finds edges that are true.
//
// A crash after it leaves index documents ahead of their relations. Verify reports them,
// and the next repair copies them.
func (x *Repairer) placesTransaction(ctx context.Context, u string, batch []string, hints map[string][]string, from map[string]bool) (plan placesPlan, err error) {
	err = x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		snaps, err := tx.GetAll(x.graph.FollowRefs(u, batch))
		if err != nil {
			return err
		}
		follows := make([]followers.State, len(batch))
		concerned := map[string]bool{}
		for n, f := range batch {
			follows[n] = followers.ReadFollowLenient(u, f, snaps[2*n], snaps[2*n+1])
			for _, id := range hints[f] {
				concerned[id] = true
			}
			if follows[n].Edge != nil {
				for _, id := range follows[n].Edge.Places() {
					concerned[id] = true
				}
			}
		}
		documents, err := x.wholeDocuments(tx, u, slices.Sorted(maps.Keys(concerned)), len(batch) == 1)
		if err != nil {
			return err
		}
		for i, doc := range documents {
			doc.Closing = from[i]
			documents[i] = doc
		}
		plan = planPlaces(follows, documents, x.db.Config)
		return x.writePlaces(tx, u, plan)
	}, followers.RepairAttempts)
	return plan, err
}

func (x *Repairer) writePlaces(tx *firestore.Transaction, u string, plan placesPlan) error {
	for _, f := range slices.Sorted(maps.Keys(plan.edges)) {
		if err := tx.Set(x.db.Edge(u, f), plan.edges[f]); err != nil {
			return err
		}
	}
	for _, f := range plan.gone {
		if err := tx.Delete(x.db.Edge(u, f)); err != nil {
			return err
		}
	}
	for _, c := range plan.documents {
		if err := followers.WriteDocument(tx, x.db.IndexDocuments(u).Doc(c.ID), c); err != nil {
			return err
		}
	}
	return nil
}

// wholeDocuments returns those of u's index documents that exist. It returns errTooLarge
// for more than maxPlaces, unless atAnySize is set.
func (x *Repairer) wholeDocuments(tx *firestore.Transaction, u string, indexes []string, atAnySize bool) (map[string]schema.IndexDocument, error) {
	documents := map[string]schema.IndexDocument{}
	if len(indexes) == 0 {
		return documents, nil
	}
	if len(indexes) > maxPlaces && !atAnySize {
		return nil, errTooLarge
	}
	refs := make([]*firestore.DocumentRef, len(indexes))
	for n, i := range indexes {
		refs[n] = x.db.IndexDocuments(u).Doc(i)
	}
	snaps, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	for _, snap := range snaps {
		if snap.Exists() {
			if documents[snap.Ref.ID], err = schema.DecodeIndexDocument(snap); err != nil {
				return nil, err
			}
		}
	}
	return documents, nil
}

// maxPlaces is how many index documents a transaction on places touches. With documents
// of maximum size, and MaxBatchBytes for the edges, it stays below TransactionLimit.
const maxPlaces = 5 << 20 / (schema.DefaultFollowersBytes + schema.MaxChangesBytes)

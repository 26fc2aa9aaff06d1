package relations

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// errTooLarge says that a batch is too large for one transaction. It never leaves this
// file.
var errTooLarge = errors.New("batch is too large for one transaction")

// repairPlaces makes the places and mirrors of some followers of u match whether they
// follow. One transaction writes index documents and mirrors. Followers without a place
// then join as if they had just followed. hints names index documents that held each
// follower. Followers with another place leave the index documents in from.
//
// It returns the index documents that it changed, and the followers who left index
// documents whose relations may still hold them.
//
// A crash between the two transactions leaves mirrors without a place. Verify reports
// them, and an event or the next repair gives them one.
func (x *Index) repairPlaces(ctx context.Context, u string, batch []string, hints map[string][]string, from map[string]bool) (changed, unsettled []string, err error) {
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
		changed = append(changed, c.id)
	}
	if len(plan.homeless) > 0 {
		joined, err := x.commitAll(ctx, u, plan.homeless, assumption{from: from})
		if err != nil {
			return nil, nil, err
		}
		for _, m := range joined {
			changed = append(changed, m.indexes()...)
		}
	}
	return changed, plan.unsettled, nil
}

// placesTransaction carries out planPlaces. It reads follower documents, mirrors, and the
// whole index documents concerned. A live event on any of these comes before it or after
// it, and finds mirrors that are true.
//
// A crash after it leaves index documents ahead of their relations. Verify reports them,
// and the next repair copies them.
func (x *Index) placesTransaction(ctx context.Context, u string, batch []string, hints map[string][]string, from map[string]bool) (plan placesPlan, err error) {
	err = x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		snaps, err := tx.GetAll(x.followRefs(u, batch))
		if err != nil {
			return err
		}
		follows := make([]follow, len(batch))
		concerned := map[string]bool{}
		for n, f := range batch {
			follows[n] = readFollowAnyhow(u, f, snaps[2*n], snaps[2*n+1])
			for _, id := range hints[f] {
				concerned[id] = true
			}
			if follows[n].mirror != nil {
				for _, id := range follows[n].mirror.places() {
					concerned[id] = true
				}
			}
		}
		documents, err := x.wholeDocuments(tx, u, slices.Sorted(maps.Keys(concerned)), len(batch) == 1)
		if err != nil {
			return err
		}
		for i, doc := range documents {
			doc.closing = from[i]
			documents[i] = doc
		}
		plan = planPlaces(follows, documents, x.opts)
		return x.writePlaces(tx, u, plan)
	}, repairAttempts)
	return plan, err
}

func (x *Index) writePlaces(tx *firestore.Transaction, u string, plan placesPlan) error {
	for _, f := range slices.Sorted(maps.Keys(plan.mirrors)) {
		if err := tx.Set(x.mirror(u, f), plan.mirrors[f]); err != nil {
			return err
		}
	}
	for _, f := range plan.gone {
		if err := tx.Delete(x.mirror(u, f)); err != nil {
			return err
		}
	}
	for _, c := range plan.documents {
		if err := writeDocument(tx, x.indexDocuments(u).Doc(c.id), c); err != nil {
			return err
		}
	}
	return nil
}

// wholeDocuments returns those of u's index documents that exist. It returns errTooLarge
// for more than maxPlaces, unless atAnySize is set.
func (x *Index) wholeDocuments(tx *firestore.Transaction, u string, indexes []string, atAnySize bool) (map[string]IndexDocument, error) {
	documents := map[string]IndexDocument{}
	if len(indexes) == 0 {
		return documents, nil
	}
	if len(indexes) > maxPlaces && !atAnySize {
		return nil, errTooLarge
	}
	refs := make([]*firestore.DocumentRef, len(indexes))
	for n, i := range indexes {
		refs[n] = x.indexDocuments(u).Doc(i)
	}
	snaps, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	for _, snap := range snaps {
		if snap.Exists() {
			if documents[snap.Ref.ID], err = decodeMeta(snap); err != nil {
				return nil, err
			}
		}
	}
	return documents, nil
}

// maxPlaces is how many index documents a transaction on places touches. With documents
// of maximum size, and maxBatchBytes for the mirrors, it stays below transactionLimit.
const maxPlaces = 5 << 20 / (DefaultFollowersBytes + maxChangesBytes)

// followRefs returns the follower document and the mirror of each follower.
func (x *Index) followRefs(u string, followers []string) []*firestore.DocumentRef {
	var refs []*firestore.DocumentRef
	for _, f := range followers {
		refs = append(refs, x.follower(u, f), x.mirror(u, f))
	}
	return refs
}

// readFollowAnyhow is readFollow for any content of the mirror. It reads an unreadable
// mirror as an empty one.
func readFollowAnyhow(u, f string, truth, mirror *firestore.DocumentSnapshot) follow {
	read, err := readFollow(f, truth, mirror)
	if checkFollow(u, f) != nil {
		read.since = time.Time{}
	}
	if err != nil {
		read.mirror = new(Mirror)
	}
	return read
}

// sensible reports whether all index documents that the mirror names have valid names.
func (m Mirror) sensible() bool {
	return !slices.ContainsFunc(append(slices.Clone(m.Left), m.places()...), func(id string) bool { _, ok := indexNumber(id); return !ok })
}

// memberships returns the memberships of followers as they are now.
func (x *Index) memberships(ctx context.Context, u string, followers []string) ([]membership, error) {
	var out []membership
	for _, part := range chunks(followers, maxBatch) {
		snaps, err := x.client.GetAll(ctx, x.followRefs(u, part))
		if err != nil {
			return nil, err
		}
		for n, f := range part {
			read := readFollowAnyhow(u, f, snaps[2*n], snaps[2*n+1])
			m := membership{follows: !read.since.IsZero(), updated: snaps[2*n+1].UpdateTime}
			if read.mirror != nil {
				m.mirror = *read.mirror
			}
			out = append(out, m)
		}
	}
	return out, nil
}

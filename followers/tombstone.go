package followers

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// purgedJoiners returns the joining followers whose account, or u's, was purged. A late event or
// an offline client must not bring them back: their follower documents are to be deleted.
//
// It reads in the members transaction. If that commits before the tombstone is written,
// the purge finds the edge. Otherwise the transaction sees the tombstone.
func (x *Graph) purgedJoiners(ctx context.Context, tx *firestore.Transaction, u string, follows []State) (gone map[string]bool, err error) {
	users := []string{u}
	for _, f := range follows {
		if f.joins() {
			users = append(users, f.ID)
		}
	}
	gone = map[string]bool{}
	if len(users) == 1 {
		return gone, nil
	}
	purged, err := x.PurgesOf(ctx, tx, users)
	if err != nil {
		return nil, err
	}
	for _, f := range users[1:] {
		if purged[u] || purged[f] {
			gone[f] = true
		}
	}
	return gone, nil
}

// PurgesOf returns the users who have a tombstone. The value is true if the account is gone, and false if the account is
// back or its purge was canceled. It costs a read for each user, and two for each tombstone.
//
// It reads user documents without a lock, after the tombstones. A batch that opens an
// index document of a returned account writes the user document. With a lock, it would
// wait for all other batches. If an account is deleted before the commit, another purge
// begins. It writes its job and its tombstone first. This transaction locks both, so that
// purge comes after the commit.
func (x *Graph) PurgesOf(ctx context.Context, tx *firestore.Transaction, users []string) (map[string]bool, error) {
	refs := make([]*firestore.DocumentRef, len(users))
	for n, u := range users {
		refs[n] = x.db.Tombstone(x.db.TombstoneID(u))
	}
	tombstones, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	var accounts, jobs []*firestore.DocumentRef // one for each tombstone
	for n, u := range users {
		if tombstones[n].Exists() {
			accounts = append(accounts, x.db.User(u))
			jobs = append(jobs, x.engine.Ref(schema.PurgeJobID(tombstones[n].Ref.ID)))
		}
	}
	purged := map[string]bool{}
	if len(accounts) == 0 {
		return purged, nil
	}
	back, err := x.db.Client.GetAll(ctx, accounts)
	if err != nil {
		return nil, err
	}
	begun, err := tx.GetAll(jobs)
	if err != nil {
		return nil, err
	}
	for n, account := range back {
		canceled := begun[n].Exists() && x.engine.Show(begun[n]).State == chunker.Canceled
		purged[account.Ref.ID] = !canceled && !schema.HasProfile(account)
	}
	return purged, nil
}

package followers

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// SetGraphPhases sets the number of phases of a purge, from the first, that take an account
// out of the graph. During these phases, nobody joins the account's index documents. Call
// it before the first event; without it there are none.
func (x *Graph) SetGraphPhases(n int) { x.graphPhases = n }

// Bury writes the tombstone of the account that a purge removes. The tombstone has the
// hash in the job's id if its key is still listed, otherwise the hash of the first key.
// If the first key is not the newest noted, bury notes it too. If the newest key of the
// existing tombstones is not listed, bury writes nothing and returns [ErrOtherKeys]. The
// tombstone of a group has no key.
//
// A crash after it leaves the tombstone of an account that is about to go; the page is
// repeated.
func (x *Graph) Bury(ctx context.Context, job chunker.Job) error {
	u := job.Args[schema.ArgAuthor]
	ids := x.db.TombstoneIDs(u)
	n := max(0, slices.IndexFunc(ids, func(id string) bool { return schema.PurgeJobID(id) == job.ID }))
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if !schema.IsGroup(u) {
			if err := x.noteKey(tx); err != nil {
				return err
			}
		}
		return tx.Set(x.db.Tombstone(ids[n]), map[string]any{})
	})
}

// purgedJoiners returns the joining followers whose account, or u's, was purged. A late event or
// an offline client must not bring them back: their follower documents are to be deleted.
// early reports that nobody may join yet, because u is back during its purge.
//
// It reads in the members transaction. If that commits before the tombstone is written,
// the purge finds the edge. Otherwise the transaction sees the tombstone.
func (x *Graph) purgedJoiners(ctx context.Context, tx *firestore.Transaction, u string, follows []State) (gone map[string]bool, early bool, err error) {
	users := []string{u}
	for _, f := range follows {
		if f.joins() {
			users = append(users, f.ID)
		}
	}
	gone = map[string]bool{}
	if len(users) == 1 {
		return gone, false, nil
	}
	purges, err := x.PurgesOf(ctx, tx, users)
	if err != nil {
		return nil, false, err
	}
	for _, f := range users[1:] {
		if slices.ContainsFunc(purges[u], Purge.Buries) || slices.ContainsFunc(purges[f], Purge.Buries) {
			gone[f] = true
		}
	}
	return gone, slices.ContainsFunc(purges[u], Purge.atGraph), nil
}

// Purge is a purge of an account that has a tombstone.
type Purge struct {
	job         chunker.Job // zero: it has expired
	back        bool        // the account has a profile
	graphPhases int         // see Graph.SetGraphPhases
}

// Buries reports whether the account is gone. A canceled purge does not count.
func (p Purge) Buries() bool { return p.job.State != chunker.Canceled && !p.back }

// atGraph reports whether the account is back while its purge must still remove the old
// graph. A failed purge waits for a person.
func (p Purge) atGraph() bool {
	switch p.job.State {
	case chunker.Queued, chunker.Running:
		return p.back && p.job.Phase < p.graphPhases
	case chunker.Failed:
		return p.back && p.job.Phase < p.graphPhases && len(p.job.Counts) > 0
	default:
		return false
	}
}

// PurgesOf returns the purges of users, one for each tombstone. It costs a read for each
// user and key, and two for each tombstone.
//
// It reads user documents without a lock, after the tombstones. A batch that opens an
// index document of a returned account writes the user document. With a lock, it would
// wait for all other batches. If an account is deleted before the commit, another purge
// begins. It writes its job and its tombstone first. This transaction locks both, so that
// purge comes after the commit.
func (x *Graph) PurgesOf(ctx context.Context, tx *firestore.Transaction, users []string) (map[string][]Purge, error) {
	var refs []*firestore.DocumentRef
	var of []string // the users of refs
	for _, u := range users {
		for _, id := range x.db.TombstoneIDs(u) {
			refs, of = append(refs, x.db.Tombstone(id)), append(of, u)
		}
	}
	tombstones, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	var accounts, jobs []*firestore.DocumentRef // one for each tombstone
	for n, tombstone := range tombstones {
		if tombstone.Exists() {
			accounts = append(accounts, x.db.User(of[n]))
			jobs = append(jobs, x.engine.Ref(schema.PurgeJobID(tombstone.Ref.ID)))
		}
	}
	purges := map[string][]Purge{}
	if len(accounts) == 0 {
		return purges, nil
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
		p := Purge{back: schema.HasProfile(account), graphPhases: x.graphPhases}
		if begun[n].Exists() {
			p.job = x.engine.Show(begun[n])
		}
		purges[account.Ref.ID] = append(purges[account.Ref.ID], p)
	}
	return purges, nil
}

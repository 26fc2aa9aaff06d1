package relations

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
)

// A tombstone says that an account has been purged: an empty document, named by
// a keyed hash of the account's id. Who has no key learns nothing from it, so that it
// needs no end; a phone may be offline for longer than any.

// DefaultTombstoneKey is the key where none is set. It is no secret: whoever can
// read tombstones can try ids.
const DefaultTombstoneKey = "default"

// MaxTombstoneKeys bounds what a follow costs.
const MaxTombstoneKeys = 5

// bury writes the tombstone of the account that a purge is for. It has the hash
// of the purge's own id, where the key of that is still there. The first of a process
// whose first key is not the newest notes that too; without the newest key of the
// tombstones that are there it writes nothing and returns [ErrOtherKeys].
//
// A crash after it leaves the tombstone of an account that is about to go; the
// page comes again.
func (x *Index) bury(ctx context.Context, job chunker.Job) error {
	ids := x.tombstonesOf(job.Args[argAuthor])
	n := max(0, slices.IndexFunc(ids, func(id string) bool { return purgeJobID(id) == job.ID }))
	return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if err := x.noteKey(tx); err != nil {
			return err
		}
		return tx.Set(x.tombstone(ids[n]), map[string]any{})
	})
}

// buried are those who are about to join u's followers and whose account, or
// u's, has been purged: an event that comes late, or a client that was offline,
// must not bring them back. Their follower documents are to be deleted. early
// says that nobody may join yet: u is back in the middle of its purge.
//
// It is read in the members transaction: either that commits before the
// tombstone is written, and then the purge finds the mirror, or it sees the tombstone.
func (x *Index) buried(ctx context.Context, tx *firestore.Transaction, u string, follows []follow) (gone map[string]bool, early bool, err error) {
	users := []string{u}
	for _, f := range follows {
		if f.joins() {
			users = append(users, f.id)
		}
	}
	gone = map[string]bool{}
	if len(users) == 1 {
		return gone, false, nil
	}
	purges, err := x.purgesOf(ctx, tx, users)
	if err != nil {
		return nil, false, err
	}
	for _, f := range users[1:] {
		if slices.ContainsFunc(purges[u], purge.buries) || slices.ContainsFunc(purges[f], purge.buries) {
			gone[f] = true
		}
	}
	return gone, slices.ContainsFunc(purges[u], purge.atGraph), nil
}

// purge is one of an account that has a tombstone.
type purge struct {
	job  chunker.Job // with State, Phase and Counts alone; zero: it has expired
	back bool        // the account has a profile
}

// buries reports whether the account is gone. A purge that a person canceled is none.
func (p purge) buries() bool { return p.job.State != chunker.Canceled && !p.back }

// atGraph reports whether the account is back, and its purge has still to take
// what there was of it out of the graph. One that has failed waits for a person.
func (p purge) atGraph() bool {
	switch p.job.State {
	case chunker.Queued, chunker.Running:
		return p.back && p.job.Phase < graphPhases
	case chunker.Failed:
		return p.back && p.job.Phase < graphPhases && len(p.job.Counts) > 0
	default:
		return false
	}
}

// purgesOf are the purges of users that have been begun, one for each key that the
// user has a tombstone by. It costs a read for each user and key, and two for each
// tombstone.
//
// The user documents are read without a lock, after the tombstones: a batch that
// opens an index document of an account that is back writes its user document,
// and would wait for all others. An account that is deleted before the commit has
// another purge, which writes the job and the tombstone first, and so comes after it.
func (x *Index) purgesOf(ctx context.Context, tx *firestore.Transaction, users []string) (map[string][]purge, error) {
	var refs []*firestore.DocumentRef
	for _, u := range users {
		for _, id := range x.tombstonesOf(u) {
			refs = append(refs, x.tombstone(id))
		}
	}
	tombstones, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	var accounts, jobs []*firestore.DocumentRef // of each tombstone
	for n, tombstone := range tombstones {
		if tombstone.Exists() {
			accounts = append(accounts, x.user(users[n/len(x.opts.TombstoneKeys)]))
			jobs = append(jobs, x.engine.Ref(purgeJobID(tombstone.Ref.ID)))
		}
	}
	purges := map[string][]purge{}
	if len(accounts) == 0 {
		return purges, nil
	}
	back, err := x.client.GetAll(ctx, accounts)
	if err != nil {
		return nil, err
	}
	begun, err := tx.GetAll(jobs)
	if err != nil {
		return nil, err
	}
	for n, account := range back {
		p := purge{back: hasProfile(account)}
		if begun[n].Exists() {
			p.job = x.engine.Show(begun[n])
		}
		purges[account.Ref.ID] = append(purges[account.Ref.ID], p)
	}
	return purges, nil
}

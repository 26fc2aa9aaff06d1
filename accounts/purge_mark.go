package accounts

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// While a purge is under way, _purging/{u} exists: an empty document. Rules read it in the
// commit that creates the profile of u, or gives a nameless user document a name, and reject
// that. So a client creates its account before the purge begins, which finds it, or after the
// purge has ended.
//
// Servers pass rules by. So each page looks for a profile after it has listed what it deletes:
// see [Lifecycle.gone].
//
// A group needs no mark: its tombstone, which rules read too, is one that stays.

// errBack fails a purge for good: see back.
var errBack = errors.New("a server has created the account again, in the middle of its purge: nothing more is deleted; repair mends what is left. " +
	"If that is no profile, delete the document: its event purges again")

// back returns errBack for the user document that has come back, with the names of fields, three
// at most, that make it a profile. Their values are nobody's business.
func back(user *firestore.DocumentSnapshot) error {
	profile, _ := schema.ProfileFields(user)
	return chunker.Permanent(fmt.Errorf("%s: %w. It has %q", user.Ref.Path, errBack, profile[:min(len(profile), 3)]))
}

// mark returns the document that keeps clients from creating account u again.
func (x *Lifecycle) mark(u string) *firestore.DocumentRef {
	if schema.IsGroup(u) {
		return x.db.Tombstone(u)
	}
	return x.db.Purging(u)
}

// gone returns nil while the purge of an account may delete what its page has listed: the step
// has its lease, the account has no profile, and the mark exists. gone writes a mark that does
// not exist: an operator has retried the purge after a failure, or somebody deleted the mark.
//
// It returns errBack if the account has a profile, and [chunker.ErrLeaseLost]. It costs three
// reads, and begin where there is no mark.
func (x *Lifecycle) gone(ctx context.Context, job chunker.Job) error {
	if err := x.engine.Held(ctx, job); err != nil {
		return err
	}
	u := job.Args[schema.ArgAuthor]
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(u), x.mark(u)})
	switch {
	case err != nil:
		return err
	case schema.HasProfile(snaps[0]):
		return back(snaps[0])
	case snaps[1].Exists():
		return nil
	default:
		return x.begin(ctx, job)
	}
}

// begin writes the tombstone and the mark of an account without a profile. The transaction reads
// the user document: either it sees the profile, or the commit of the profile sees the mark.
//
// A crash after it leaves both; the page is repeated. A late twin has no lease, and writes nothing.
func (x *Lifecycle) begin(ctx context.Context, job chunker.Job) error {
	u := job.Args[schema.ArgAuthor]
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if err := x.engine.HeldIn(tx, job); err != nil {
			return err
		}
		user, err := store.GetMaybe(tx, x.db.User(u))
		if err != nil {
			return err
		}
		if schema.HasProfile(user) {
			return back(user)
		}
		return errors.Join(tx.Set(x.db.Tombstone(x.db.TombstoneID(u)), map[string]any{}), tx.Set(x.mark(u), map[string]any{}))
	})
}

// pageUnmark is the last phase of a purge: clients may create the account again. It does not look
// whether they have: nothing is left to delete.
//
// A crash after it leaves the job without its mark; the page is repeated, and deletes what is not
// there. It is alone in its step: see [Lifecycle.pageEnd]. A late twin has no lease, and leaves the mark of the next purge.
func (x *Lifecycle) pageUnmark(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	u := job.Args[schema.ArgAuthor]
	if schema.IsGroup(u) {
		return chunker.Page{}, nil
	}
	return chunker.Page{}, x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if err := x.engine.HeldIn(tx, job); err != nil {
			return err
		}
		return tx.Delete(x.mark(u))
	})
}

// Unmark deletes the mark of a purge that has ended before its last page: it failed, was
// canceled, or somebody deleted its job. It leaves the mark of a purge that is queued or running,
// so it may be called at any time, twice and late: the transaction reads the job, which whoever
// enqueues the next purge writes. It reports whether there was a mark to delete.
//
// A crash before it leaves the mark, and the event of the job, which comes again; if that is
// lost, `verify` names the mark, and `repair` calls Unmark.
func (x *Lifecycle) Unmark(ctx context.Context, u string) (unmarked bool, err error) {
	if schema.IsGroup(u) || schema.CheckAccountID(u) != nil {
		return false, nil
	}
	err = x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		unmarked = false
		snaps, err := tx.GetAll([]*firestore.DocumentRef{x.mark(u), x.engine.Ref(schema.PurgeJobID(x.db.TombstoneID(u)))})
		if err != nil || !snaps[0].Exists() {
			return err
		}
		if snaps[1].Exists() && !x.engine.Show(snaps[1]).State.Finished() {
			return nil
		}
		unmarked = true
		return tx.Delete(snaps[0].Ref)
	})
	return unmarked, err
}

package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// While a purge is under way, the empty document _purging/{u} exists. Rules read it in a commit that creates the profile
// of u, or that names a nameless user document, and reject that commit; also for an hour after the purge, until expireAt,
// as long as the deleted account's ID token is good. So a client creates its account either before the purge begins, which
// then finds it, or an hour after its end. A TTL policy deletes the document later, within about a day.
//
// Servers bypass rules. So each page checks for a profile after it has listed the documents to delete: see
// [Lifecycle.gone].
//
// A group needs no mark: its tombstone stays, and rules read tombstones of groups too.

// errBack fails a purge permanently: see back.
var errBack = errors.New("a server has created the account again, so the purge stopped and deletes nothing more. " +
	"To keep the account, run 'relationindex repair'. To purge the account, delete the user document")

// back returns errBack for the user document that has come back. The error names at most three fields that make the
// document a profile. It does not contain their values, which are private.
func back(user *firestore.DocumentSnapshot) error {
	profile, _ := schema.ProfileFields(user)
	return chunker.Permanent(fmt.Errorf("%s: %w. Fields of the profile: %q", user.Ref.Path, errBack, profile[:min(len(profile), 3)]))
}

// mark returns the document that keeps clients from creating account u again.
func (x *Lifecycle) mark(u string) *firestore.DocumentRef {
	if schema.IsGroup(u) {
		return x.db.Tombstone(u)
	}
	return x.db.Purging(u)
}

// gone returns nil while a page of the purge may delete the documents that it has listed: the step has its lease, the
// account has no profile, and the mark exists. If it does not, or is that of an ended purge and may run out, gone writes it:
// an operator has retried the purge after a failure, or somebody deleted the mark.
//
// gone returns errBack if the account has a profile, and [chunker.ErrLeaseLost] if the step has lost its lease. It costs
// three reads, and the cost of begin if there is no mark.
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
	case schema.IsPurging(snaps[1]):
		return nil
	default:
		return x.begin(ctx, job)
	}
}

// begin writes the tombstone and the mark of an account without a profile. The transaction reads
// the user document: either it sees the profile, or the commit of the profile sees the mark.
//
// A crash after the commit leaves both; the page is repeated. A late twin has no lease, and writes nothing.
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

// pageUnmark is the last phase of a purge: an hour after it, clients may create the account again. It does not check
// whether a server already has: nothing is left to delete, and the mark of an ended purge stops nobody who has a profile.
//
// A crash after the write leaves the job unfinished; the page is repeated, and sets a later time. The page is alone in
// its step: see [Lifecycle.pageEnd]. A late twin has no lease, and leaves the mark of the next purge.
func (x *Lifecycle) pageUnmark(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	u := job.Args[schema.ArgAuthor]
	if schema.IsGroup(u) {
		return chunker.Page{}, nil
	}
	return chunker.Page{}, x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if err := x.engine.HeldIn(tx, job); err != nil {
			return err
		}
		return tx.Set(x.mark(u), map[string]any{schema.FieldExpireAt: x.engine.Now().Add(time.Hour)})
	})
}

// Unmark deletes the mark of a purge that ended before its last page: the purge failed or was canceled, or somebody
// deleted its job. It keeps the mark of a purge that is queued or running, and of one that ended with its last page. So
// it may be called at any time, twice and late: the transaction reads the job, and enqueueing the next purge writes that
// job. Unmark reports whether there was a mark to delete.
//
// A crash before the deletion leaves the mark, and the event of the job, which comes again. If the event is lost,
// `verify` reports the mark, and `repair` calls Unmark.
func (x *Lifecycle) Unmark(ctx context.Context, u string) (unmarked bool, err error) {
	if schema.IsGroup(u) || schema.CheckAccountID(u) != nil {
		return false, nil
	}
	err = x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		unmarked = false
		snaps, err := tx.GetAll([]*firestore.DocumentRef{x.mark(u), x.engine.Ref(schema.PurgeJobID(x.db.TombstoneID(u)))})
		if err != nil || !schema.IsPurging(snaps[0]) {
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

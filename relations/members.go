package relations

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/batch"
	"example.com/relationindex/internal/runtime/logging"
)

// membership is a follower's state after a members transaction.
type membership struct {
	follows bool
	written bool   // the follower document exists
	mirror  Mirror // zero: no mirror
	updated time.Time
}

// indexes returns the index documents that the follower has joined or left. Their
// relations must be up to date before the follower's event is acknowledged. An event
// that changed nothing returns them too: an earlier run may have died between the
// members transaction and sync.
func (m membership) indexes() []string {
	indexes := append(slices.Clone(m.mirror.Left), m.mirror.places()...)
	slices.Sort(indexes)
	return slices.Compact(indexes)
}

// Follow makes the index agree with whether f follows u now. It updates f's place in an
// index document of u, f's mirror, and the relations of u's posts. When it returns nil,
// all of that is durable, in documents or in a job.
//
// A repeated call, or a call without a change, writes nothing. You may call it
// concurrently for the same follower and for others. Calls for one author share
// transactions.
//
// It returns ErrDamaged when it needs an index document that cannot be read: one that
// the follower leaves, or one whose relations are not up to date. A job mends the
// document.
//
// Cost for an author with n ≤ InlineLimit posts, if no index document is opened: a
// follow takes n + 2 writes, an unfollow n + 3 writes and a delete. ARCHITECTURE.md has
// the reads.
func (x *Index) Follow(ctx context.Context, u, f string) error {
	document := x.opts.Collections.Users + "/" + u + "/" + x.opts.Collections.Followers + "/" + f
	if err := checkFollow(u, f); err != nil {
		return badDocument(document, "%v; the document is ignored", err)
	}
	m, err := x.members.Do(ctx, u, f)
	if damage, ok := errors.AsType[*damagedMirror](err); ok {
		if err = x.mendSoon(ctx, x.remakeMirror(ctx, u, f, damage)); err == nil {
			m, err = x.members.Do(ctx, u, f)
		}
	}
	if err != nil {
		return fmt.Errorf("members of %s: %w", u, err)
	}
	// A crash here leaves index documents ahead of their relations. The event is
	// redelivered, finds the mirror, and syncs.
	var errs []error
	for _, i := range m.indexes() {
		if _, err := x.syncs.Do(ctx, indexKey{u, i}, struct{}{}); err != nil {
			errs = append(errs, fmt.Errorf("sync %s: %w", x.indexDocuments(u).Doc(i).Path, err))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if err := x.settle(ctx, x.mirror(u, f), m); err != nil {
		return fmt.Errorf("settle mirror of %s: %w", document, err)
	}
	return nil
}

// settle records that sync has updated the relations of every index document that the
// follower left. A crash before this write leaves Left in the mirror, and the event is
// redelivered. The precondition fails if the mirror was written meanwhile. The event of
// that write then settles it.
//
// settle also deletes the mirror of a follower without a place who does not follow. A
// repair leaves such a mirror if it read the follow just before the unfollow.
func (x *Index) settle(ctx context.Context, mirror *firestore.DocumentRef, m membership) error {
	placeless := !m.follows && !m.updated.IsZero() && m.mirror.IndexID == ""
	if len(m.mirror.Left) == 0 && !placeless {
		return nil
	}
	var err error
	if m.follows {
		_, err = mirror.Update(ctx, []firestore.Update{{Path: fieldLeft, Value: firestore.Delete}}, firestore.LastUpdateTime(m.updated))
	} else {
		_, err = mirror.Delete(ctx, firestore.LastUpdateTime(m.updated))
	}
	if isStale(err) {
		return nil
	}
	return err
}

// commitMembers updates the index documents and mirrors of a batch of u's followers in
// one transaction. It splits a batch that is too large, or that Firestore rejects. Each
// follower has an outcome of their own, so one cannot hold up the others. Damaged index
// documents are left to their jobs.
func (x *Index) commitMembers(ctx context.Context, b *batch.Batch, u string, followers []string) []batch.Outcome[membership] {
	out := x.commitAssuming(ctx, b, u, followers, assumption{})
	errs := make([]error, len(out))
	for n, o := range out {
		errs[n] = o.Err
	}
	for _, d := range damagedIndexes(errors.Join(errs...)) {
		if err := x.enqueueMending(ctx, d); err != nil {
			x.opts.Logger.WarnContext(ctx, "job that mends an index document not enqueued; its events come again", logging.Document, d.path, logging.Error, err)
		}
	}
	return out
}

// assumption is what a members transaction assumes beside what it reads. The zero value
// assumes nothing.
type assumption struct {
	since time.Time       // of followers without a follower document; zero: they do not follow
	from  map[string]bool // index documents whose followers also join another, and that nobody joins
}

// commitAssuming is commitMembers under an assumption. It leaves damaged index
// documents to the caller. Repair and import call it outside a batch: b is nil.
func (x *Index) commitAssuming(ctx context.Context, b *batch.Batch, u string, followers []string, assumed assumption) []batch.Outcome[membership] {
	out, err := x.commitUnchanged(ctx, b, u, followers, assumed)
	if (errors.Is(err, errTooMuch) || status.Code(err) == codes.InvalidArgument) && len(followers) > 1 {
		half := len(followers) / 2
		first := x.commitAssuming(ctx, b, u, followers[:half], assumed)
		return append(first, x.commitAssuming(ctx, b, u, followers[half:], assumed)...)
	}
	if err != nil {
		return batch.AllFailed[membership](len(followers), err)
	}
	return out
}

// commitAll is commitAssuming that succeeds for all or returns an error. It replaces
// damaged mirrors, and joins the errors of all followers that failed.
func (x *Index) commitAll(ctx context.Context, u string, followers []string, assumed assumption) ([]membership, error) {
	out := x.commitAssuming(ctx, nil, u, followers, assumed)
	var again []string
	members, errs := make([]membership, len(followers)), []error(nil)
	for n, f := range followers {
		members[n] = out[n].Value
		err := out[n].Err
		if damage, ok := errors.AsType[*damagedMirror](err); ok {
			if err = x.remakeMirror(ctx, u, f, damage); err == nil {
				again = append(again, f)
			}
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil || len(again) == 0 {
		return members, err
	}
	for n, o := range x.commitAssuming(ctx, nil, u, again, assumed) {
		errs = append(errs, o.Err)
		members[slices.Index(followers, again[n])] = o.Value
	}
	return members, errors.Join(errs...)
}

// commitUnchanged retries the transaction while documents change after members read
// them. Each retry means that another process committed, so the processes together make
// progress. Random pauses keep them from colliding again.
func (x *Index) commitUnchanged(ctx context.Context, b *batch.Batch, u string, followers []string, assumed assumption) (out []batch.Outcome[membership], err error) {
	list, opened := false, 0
	for try := range maxRounds {
		if out, err = x.membersTransaction(ctx, u, followers, assumed, list); !isStale(err) {
			return out, err
		}
		if status.Code(err) == codes.AlreadyExists {
			opened++ // by another process, and users/{u} names it; or users/{u} does not name it
		}
		b.NoteContention()
		list = opened > 1 || errors.Is(err, errStale)
		if err := pause(ctx, try); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: %w", ErrContention, err)
}

// pause waits a random time before the next try. The maximum grows with the tries to
// about the duration of a transaction.
func pause(ctx context.Context, try int) error {
	select {
	case <-time.After(rand.N(time.Duration(min(try+1, 5)) * 20 * time.Millisecond)): //nolint:gosec // spreads tries, guards nothing
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// membersTransaction is one try of commitAssuming. With list, it lists the index
// documents and does not trust users/{u}.
//
// It locks follower documents, mirrors and tombstones. They decide who follows, and
// other batches do not use them. After these locks, it reads users/{u} and index
// documents without a lock, because every batch of the author needs them. The commit
// requires that index documents are as they were read. Locks would be slow: two
// transactions that lock a document and then write it wait until one is aborted, on the
// emulator for two seconds.
//
// If the current index document stays the same, users/{u} may change before the commit:
// the document still has room for these followers. If the transaction makes another one
// current, opens one, or repairs users/{u}, the commit requires users/{u} as it was
// read. Every transaction that does so, or closes an index document, writes users/{u}.
// If the account is deleted meanwhile, its purge reads the follower documents locked
// here only after the commit, and finds their mirrors.
//
// A follower fails alone if their mirror, or an index document that they leave, is
// damaged. Followers who would join an author that is back during a purge fail too:
// they wait for its end.
//
// Reads: 1 for the user, 2 for each follower, 1 for each index document touched (see
// touchMirrored). If any followers join, 1 for each of them and 1 for the author. If
// the current index document is full, also 1 for each other index document.
//
// Writes: 1 for each index document changed (2 if followers both join and leave it), 1
// for each mirror changed, 1 for the user when another index document becomes current.
func (x *Index) membersTransaction(ctx context.Context, u string, calls []string, assumed assumption, list bool) ([]batch.Outcome[membership], error) {
	followers := slices.Compact(slices.Sorted(slices.Values(calls)))
	refs := x.followRefs(u, followers)
	var result map[string]membership
	var failed map[string]error // nothing is written for these followers
	var changed []string        // followers whose mirrors are written first, in this order
	var response firestore.CommitResponse
	err := x.client.RunTransaction(x.withoutFollowers(ctx), func(ctx context.Context, tx *firestore.Transaction) error {
		result, failed, changed = map[string]membership{}, map[string]error{}, nil
		snaps, err := tx.GetAll(refs)
		if err != nil {
			return err
		}
		follows := make([]follow, 0, len(followers))
		for n, f := range followers {
			mirror := snaps[2*n+1]
			read, err := readFollow(f, snaps[2*n], mirror)
			if err != nil {
				failed[f] = err
				continue
			}
			m := membership{written: !read.since.IsZero(), updated: mirror.UpdateTime}
			if !m.written {
				read.since = assumed.since
			}
			read.moves = read.placed() && read.mirror.MovesTo == "" && assumed.from[read.mirror.IndexID]
			m.follows = !read.since.IsZero()
			result[f] = m
			follows = append(follows, read)
		}
		user, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.user(u)})
		if err != nil {
			return err
		}
		dir, repair, err := x.directoryOf(ctx, u, user[0], list)
		if err != nil {
			return err
		}
		if repair && !user[0].Exists() { // if it exists, the commit requires it as it was read
			if err := x.stillThere(tx, u, dir.ids); err != nil {
				return err
			}
		}
		read := touched{documents: map[string]IndexDocument{}, damaged: map[string]error{}}
		if err := x.touchMirrored(ctx, tx, u, follows, read); err != nil {
			return err
		}
		gone, early, err := x.buried(ctx, tx, u, follows)
		if err != nil {
			return err
		}
		follows = slices.DeleteFunc(follows, func(f follow) bool {
			if early && f.joins() && !gone[f.id] {
				failed[f.id] = fmt.Errorf("%w: %s is back in the middle of its purge", chunker.ErrBusy, x.user(u).Path)
			}
			return failed[f.id] != nil
		})
		for n, f := range follows {
			if gone[f.id] {
				follows[n].since = time.Time{}
				result[f.id] = membership{updated: f.updated}
			}
		}
		if len(gone) > 0 { // a follower who was to move leaves instead
			if err := x.touchMirrored(ctx, tx, u, follows, read); err != nil {
				return err
			}
		}
		for _, f := range follows {
			if m := result[f.id]; f.mirror != nil {
				m.mirror = *f.mirror
				result[f.id] = m
			}
		}
		follows = slices.DeleteFunc(follows, func(f follow) bool {
			if f.leaves() {
				for _, i := range f.mirror.places() {
					if read.damaged[i] != nil {
						failed[f.id] = read.damaged[i]
					}
				}
			}
			return failed[f.id] != nil
		})
		if err := x.touchCurrent(ctx, tx, u, follows, dir.current, read); err != nil {
			return err
		}
		documents := read.documents
		for i, doc := range documents {
			doc.closing = assumed.from[i]
			documents[i] = doc
		}
		plan := planMembers(follows, documents, dir, x.opts)
		if len(plan.opened) > 0 && len(dir.ids) > 0 { // the current index document is full
			if err := x.addHalves(ctx, u, dir, len(plan.mirrors), documents, assumed.from); err != nil {
				return err
			}
			plan = planMembers(follows, documents, dir, x.opts)
		}
		if len(calls) > 1 && membersBytes(u, calls, plan.documents) > transactionBytes {
			return errTooMuch // the batch changes many index documents
		}
		if len(dir.ids)+len(plan.opened) > maxIndexDocuments {
			if len(calls) > 1 {
				return errTooMuch // those who only leave may still commit
			}
			return badDocument(x.user(u).Path, "has %d full index documents, the most there may be", len(dir.ids))
		}
		if changed, err = x.writeMembers(tx, u, followers, plan); err != nil {
			return err
		}
		for f := range gone {
			if err := tx.Delete(x.follower(u, f)); err != nil {
				return err
			}
		}
		for f, mirror := range plan.mirrors {
			m := result[f]
			m.mirror = mirror
			result[f] = m
		}
		if plan.current == dir.current && !repair {
			return nil
		}
		return x.nameIndexes(tx, user[0], directory{ids: append(dir.ids, plan.opened...), current: plan.current})
	}, firestore.WithCommitResponseTo(&response))
	if err != nil {
		return nil, err
	}
	written, err := response.WriteResults()
	if err != nil {
		return nil, err
	}
	for n, f := range changed {
		m := result[f]
		m.updated = written[n].UpdateTime
		result[f] = m
	}
	out := make([]batch.Outcome[membership], len(calls))
	for n, f := range calls {
		out[n] = batch.Outcome[membership]{Value: result[f], Err: failed[f]}
	}
	return out, nil
}

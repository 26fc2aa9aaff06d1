package followers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/batch"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// Membership is a follower's state after a members transaction.
type Membership struct {
	Follows bool
	Written bool        // the follower document exists
	Edge    schema.Edge // zero: no edge
	Updated time.Time
}

// Indexes returns the index documents that the follower has joined or left. Their
// relations must be up to date before the follower's event is acknowledged. An event
// that changed nothing returns them too: an earlier run may have died between the
// members transaction and sync.
func (m Membership) Indexes() []string {
	indexes := append(slices.Clone(m.Edge.Left), m.Edge.Places()...)
	slices.Sort(indexes)
	return slices.Compact(indexes)
}

// since returns when the follow was made: the createdAt of the edge, but not later than the edge was written.
func (m Membership) since() time.Time {
	if m.Edge.CreatedAt.Before(m.Updated) {
		return m.Edge.CreatedAt
	}
	return m.Updated
}

// Follow makes the index agree with whether f follows u now. It updates f's place in an
// index document of u, f's edge, and the relations of u's posts. When it returns nil,
// all of that is durable, in documents or in a job.
//
// A repeated call, or a call without a change, writes nothing. You may call it
// concurrently for the same follower and for others. Calls for one author share
// transactions.
//
// If the edge is damaged, Follow reports that and changes nothing: see [Graph.PastDamage]. If the follower leaves an
// index document that is damaged, Follow returns ErrDamaged until the document's job has mended it. If that job has
// failed, Follow adds the follower to the job and returns nil: a repair does the remaining work. If the follower's
// account was purged, Follow deletes the edge instead, damaged or not.
//
// Cost for an author with n ≤ InlineLimit posts, if no index document is opened: a
// follow takes n + 2 writes, an unfollow n + 3 writes and a delete. ARCHITECTURE.md has
// the reads.
func (x *Graph) Follow(ctx context.Context, u, f string) error {
	document := x.db.Config.Collections().Users + "/" + u + "/" + x.db.Config.Collections().Followers + "/" + f
	if err := schema.CheckFollow(u, f); err != nil {
		return schema.BadDocument(document, "%w; the document is ignored", err)
	}
	m, err := x.members.Do(ctx, u, f)
	if schema.OnlyDamaged(err) {
		return x.pastDamagedFollow(ctx, u, f, err)
	}
	if err != nil {
		return fmt.Errorf("members of %s: %w", u, err)
	}
	// A crash here leaves posts undelivered. The event is redelivered, finds the edge,
	// and delivers them.
	err = x.deliveries.Followed(ctx, Change{
		Author: u, Follower: f, Follows: m.Follows, Since: m.since(), Returned: m.Follows && len(m.Edge.Left) > 0, Indexes: m.Indexes(),
	})
	if err = x.PastDamage(ctx, err); err != nil {
		return err
	}
	if err := x.Settle(ctx, x.db.Edge(u, f), m); err != nil {
		return fmt.Errorf("settle edge of %s: %w", document, err)
	}
	return nil
}

// Settle records that sync has updated the relations of every index document that the
// follower left. A crash before this write leaves Left in the edge, and the event is
// redelivered. The precondition fails if the edge was written meanwhile. The event of
// that write then settles it.
//
// Settle also deletes an edge without a place, if the follower does not follow. A repair leaves such an edge if it read
// the follow just before an unfollow.
func (x *Graph) Settle(ctx context.Context, edge *firestore.DocumentRef, m Membership) error {
	placeless := !m.Follows && !m.Updated.IsZero() && m.Edge.IndexID == ""
	if len(m.Edge.Left) == 0 && !placeless {
		return nil
	}
	var err error
	if m.Follows {
		_, err = edge.Update(ctx, []firestore.Update{{Path: schema.FieldLeft, Value: firestore.Delete}}, firestore.LastUpdateTime(m.Updated))
	} else {
		_, err = edge.Delete(ctx, firestore.LastUpdateTime(m.Updated))
	}
	if store.IsStale(err) {
		return nil
	}
	return err
}

// commitMembers updates the index documents and edges of a batch of u's followers in
// one transaction. It splits a batch that is too large, or that Firestore rejects. Each
// follower has an outcome of their own, so one cannot hold up the others. Damaged index
// documents are left to their jobs.
func (x *Graph) commitMembers(ctx context.Context, b *batch.Batch, u string, followers []string) []batch.Outcome[Membership] {
	out := x.CommitAssuming(ctx, b, u, followers, Assumption{})
	errs := make([]error, len(out))
	for n, o := range out {
		errs[n] = o.Err
	}
	for _, d := range schema.DamagedIndexes(errors.Join(errs...)) {
		if err := x.EnqueueMending(ctx, d); err != nil {
			x.db.Config.Logger.WarnContext(ctx, "index document's repair job not enqueued; its events are retried", logging.Document, d.Path, logging.Error, err)
		}
	}
	return out
}

// Assumption holds what a members transaction assumes in addition to what it reads. The zero value assumes nothing.
type Assumption struct {
	Since time.Time       // when followers without a follower document followed; zero: they do not follow
	From  map[string]bool // index documents that nobody joins; their followers also join another
}

// CommitAssuming is commitMembers under an assumption. It leaves damaged index
// documents to the caller, and a transaction of one follower that Firestore rejects. Repair and import call it outside a batch: b is nil.
func (x *Graph) CommitAssuming(ctx context.Context, b *batch.Batch, u string, followers []string, assumed Assumption) []batch.Outcome[Membership] {
	out, err := x.commitUnchanged(ctx, b, u, followers, assumed)
	if (errors.Is(err, work.ErrTooMuch) || status.Code(err) == codes.InvalidArgument) && len(followers) > 1 {
		half := len(followers) / 2
		first := x.CommitAssuming(ctx, b, u, followers[:half], assumed)
		return append(first, x.CommitAssuming(ctx, b, u, followers[half:], assumed)...)
	}
	if store.IsRejected(err) { // most often, a server's users/{u} is full
		err = &schema.Damaged{Path: x.db.User(u).Path, Author: u, Cause: err}
	}
	if err != nil {
		return batch.AllFailed[Membership](len(followers), err)
	}
	return out
}

// CommitAll is CommitAssuming, but succeeds only if all followers do. Otherwise it joins the errors of the followers
// that failed.
func (x *Graph) CommitAll(ctx context.Context, u string, followers []string, assumed Assumption) ([]Membership, error) {
	members, errs := make([]Membership, len(followers)), []error(nil)
	for n, o := range x.CommitAssuming(ctx, nil, u, followers, assumed) {
		members[n] = o.Value
		errs = append(errs, o.Err)
	}
	return members, errors.Join(errs...)
}

// commitUnchanged retries the transaction while documents change after members read them, or while locks abort it.
// Either way, another process has committed, so the processes together make progress. Random pauses prevent further
// collisions; the batch's timeout ends the retries.
func (x *Graph) commitUnchanged(ctx context.Context, b *batch.Batch, u string, followers []string, assumed Assumption) (out []batch.Outcome[Membership], err error) {
	list, opened := false, 0
	for try := range work.MaxRounds {
		if out, err = x.membersTransaction(ctx, b, u, followers, assumed, list); !store.IsContention(err) {
			return out, err
		}
		if status.Code(err) == codes.AlreadyExists {
			opened++ // by another process, and users/{u} names the document; or users/{u} does not name it
		}
		b.NoteContention()
		list = opened > 1 || errors.Is(err, store.ErrStale)
		if err := work.Pause(ctx, try); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: %w", schema.ErrContention, err)
}

// membersTransaction is one try of CommitAssuming. With list, it lists the index
// documents and does not trust users/{u}.
//
// It locks follower documents, edges and tombstones. They decide who follows, and
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
// here only after the commit, and finds their edges.
//
// A follower fails alone in three cases: their edge is damaged; they leave an index document that is damaged; or they
// join, and nobody can tell which index documents exist.
//
// Reads: 1 for the user, 2 for each follower, 1 for each index document touched (see
// touchPlaces). If any followers join, 1 for each of them and 1 for the author. If
// the current index document is full, also 1 for each other index document.
//
// Writes: 1 for each index document changed (2 if followers both join and leave it), 1
// for each edge changed, 1 for the user when another index document becomes current.
func (x *Graph) membersTransaction(ctx context.Context, b *batch.Batch, u string, calls []string, assumed Assumption, list bool) ([]batch.Outcome[Membership], error) {
	followers := slices.Compact(slices.Sorted(slices.Values(calls)))
	refs := x.FollowRefs(u, followers)
	var result map[string]Membership
	var failed map[string]error // nothing is written for these followers
	var changed []string        // followers whose edges are written first, in this order
	var mended *Directory       // the directory that was damaged
	var response firestore.CommitResponse
	runs := 0
	err := x.db.Client.RunTransaction(x.WithoutFollowers(ctx), func(ctx context.Context, tx *firestore.Transaction) error {
		result, failed, changed, mended = map[string]Membership{}, map[string]error{}, nil, nil
		if runs++; runs > 1 {
			b.NoteContention() // a lock has aborted it
		}
		snaps, err := tx.GetAll(refs)
		if err != nil {
			return err
		}
		follows := make([]State, 0, len(followers))
		for n, f := range followers {
			edge := snaps[2*n+1]
			read, err := ReadFollow(f, snaps[2*n], edge)
			if err != nil {
				failed[f] = err
				continue
			}
			m := Membership{Written: !read.Since.IsZero(), Updated: edge.UpdateTime}
			if !m.Written {
				read.Since = assumed.Since
			}
			read.moves = read.Placed() && read.Edge.MovesTo == "" && assumed.From[read.Edge.IndexID]
			m.Follows = !read.Since.IsZero()
			result[f] = m
			follows = append(follows, read)
		}
		user, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(u)})
		if err != nil {
			return err
		}
		dir, repair, err := x.directoryOf(ctx, u, user[0], list)
		if schema.OnlyDamaged(err) { // followers who only leave need no list
			follows = slices.DeleteFunc(follows, func(f State) bool {
				if f.joins() {
					failed[f.ID] = err
				}
				return f.joins()
			})
		} else if err != nil {
			return err
		}
		if repair {
			mended = &dir
		}
		if repair && !user[0].Exists() { // if the user document exists, the commit requires it as it was read
			if err := x.stillThere(tx, u, dir.IDs); err != nil {
				return err
			}
		}
		read := touched{documents: map[string]schema.IndexDocument{}, damaged: map[string]error{}}
		if err := x.touchPlaces(ctx, tx, u, follows, read); err != nil {
			return err
		}
		gone, err := x.purgedJoiners(ctx, tx, u, follows)
		if err != nil {
			return err
		}
		for n, f := range follows {
			if gone[f.ID] {
				follows[n].Since = time.Time{}
				result[f.ID] = Membership{Updated: f.updated}
			}
		}
		if len(gone) > 0 { // a follower who was to move leaves instead
			if err := x.touchPlaces(ctx, tx, u, follows, read); err != nil {
				return err
			}
		}
		for _, f := range follows {
			if m := result[f.ID]; f.Edge != nil {
				m.Edge = *f.Edge
				result[f.ID] = m
			}
		}
		follows = slices.DeleteFunc(follows, func(f State) bool {
			if f.leaves() {
				for _, i := range f.Edge.Places() {
					if read.damaged[i] != nil {
						failed[f.ID] = read.damaged[i]
					}
				}
			}
			return failed[f.ID] != nil
		})
		if err := x.touchCurrent(ctx, tx, u, follows, dir.Current, read); err != nil {
			return err
		}
		documents := read.documents
		for i, doc := range documents {
			doc.Closing = assumed.From[i]
			documents[i] = doc
		}
		plan := planMembers(follows, documents, dir, x.db.Config)
		if len(plan.opened) > 0 && len(dir.IDs) > 0 { // the current index document is full
			if err := x.AddHalves(ctx, u, dir, len(plan.edges), documents, assumed.From); err != nil {
				return err
			}
			plan = planMembers(follows, documents, dir, x.db.Config)
		}
		if len(calls) > 1 && membersBytes(u, calls, plan.documents) > schema.TransactionBytes {
			return work.ErrTooMuch // the batch changes many index documents
		}
		if len(dir.IDs)+len(plan.opened) > schema.MaxIndexDocuments {
			if len(calls) > 1 {
				return work.ErrTooMuch // followers who only leave may still commit
			}
			return schema.BadDocument(x.db.User(u).Path, "has %d full index documents, which is the maximum", len(dir.IDs))
		}
		if changed, err = x.writeMembers(tx, u, followers, plan); err != nil {
			return err
		}
		for f := range gone {
			if err := tx.Delete(x.db.Follower(u, f)); err != nil {
				return err
			}
		}
		for f, edge := range plan.edges {
			m := result[f]
			m.Edge = edge
			result[f] = m
		}
		if plan.current == dir.Current && !repair {
			return nil
		}
		return x.NameIndexes(tx, user[0], Directory{IDs: append(dir.IDs, plan.opened...), Current: plan.current})
	}, firestore.WithCommitResponseTo(&response))
	if err != nil {
		return nil, err
	}
	if mended != nil { // not before the commit: another process may have been about to name an index document that it opened
		x.reportDamage(ctx, u, *mended)
	}
	written, err := response.WriteResults()
	if err != nil {
		return nil, err
	}
	for n, f := range changed {
		m := result[f]
		m.Updated = written[n].UpdateTime
		result[f] = m
	}
	out := make([]batch.Outcome[Membership], len(calls))
	for n, f := range calls {
		out[n] = batch.Outcome[Membership]{Value: result[f], Err: failed[f]}
	}
	return out, nil
}

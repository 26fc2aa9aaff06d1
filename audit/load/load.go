package load

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/followers"
	"example.com/relationindex/schema"
)

// adoptParallel is how many authors, and later how many index documents, a call of
// Adopt writes at once.
const adoptParallel = 8

// Follows lists accounts that will follow an author.
type Follows struct {
	Author    string
	Followers []string // in any order; duplicates are ignored
}

// Options are the options of Adopt. The zero value is the default.
type Options struct {
	Since time.Time // of the follows; zero: now
	// Again does a part of the work, and retries it after an error if a retry may help.
	// So an author whose documents are locked does not fail the others of the call.
	// Several goroutines call it at once. nil: no retry.
	Again func(ctx context.Context, work func() error) error
}

// Adopt makes all follows, as if they were made now. It first writes the followers' places in index documents, their
// edges, and the relations of the authors' posts. Then it writes the follower documents. Their events find nothing to
// do, so Adopt works with and without triggers. Use it to import an existing graph: it makes a few requests for each
// author, whereas a trigger makes as many for each follow.
//
// Existing follows stay as they are. A repeated call, also after a crash or an error,
// writes what is missing. You may call Adopt concurrently with live follows, unfollows
// and posts, and with itself.
//
// It returns ErrBadDocument if a follow is invalid ([CheckFollow]), before it writes
// anything.
//
// An author with n new followers, in k opened and o existing index documents, costs 3n + k + 2·o + 4 reads (one less if
// the author has a profile), 2n + 2k + o writes, and one more write if k > 0. Beyond 300 followers, or 512 KiB of ids,
// each further batch adds 5 reads and a write. If everything is done already, the author costs 2n + 1 reads, one read
// for each index document, and no writes. If only a part of a batch is new, or a call died before it wrote follower
// documents, the author costs up to 2n reads more.
//
// To find the authors with posts, a call reads as many documents as there are posts,
// but at most 1 + 11 for each author. Relations cost what they cost in Follow, once for
// all followers of an author.
//
// It holds about 100 bytes of memory for each follower.
func (x *Loader) Adopt(ctx context.Context, all []Follows, o Options) error {
	if o.Since.IsZero() {
		o.Since = time.Now()
	}
	if o.Again == nil {
		o.Again = func(_ context.Context, work func() error) error { return work() }
	}
	adoptions := make([]*adoption, len(all))
	for n, follows := range all {
		for _, f := range follows.Followers {
			if err := schema.CheckFollow(follows.Author, f); err != nil {
				return schema.BadDocument(x.db.Follower(follows.Author, f).Path, "%w", err)
			}
		}
		adoptions[n] = &adoption{Loader: x, Follows: follows}
	}
	if err := atOnce(ctx, o, adoptions, func(ctx context.Context, a *adoption) error { return a.place(ctx, o.Since) }); err != nil {
		return err
	}
	// A crash from here on, or between two transactions of place, leaves followers in
	// index documents without follower documents, and index documents ahead of their
	// relations. No event repairs that. The next call does.
	//
	// Meanwhile an event of such a follower may arrive: an old one, or one of a follow and unfollow. It removes the
	// follower, because there is no follower document. The follower document that create writes has an event that adds
	// the follower again.
	if err := x.syncAdopted(ctx, adoptions, o); err != nil {
		return err
	}
	return atOnce(ctx, o, adoptions, func(ctx context.Context, a *adoption) error { return a.create(ctx) })
}

// adoption is the remaining work of Adopt for an author.
type adoption struct {
	*Loader
	Follows
	indexes map[string]bool // joined or left by followers; may be ahead of their relations
	left    []leftFollower  // followers whose edges name index documents in left
	missing []missingFollow // follower documents to write
}

type missingFollow struct {
	id    string
	since time.Time
}

type leftFollower struct {
	id string
	followers.Membership
}

// place adds the followers to index documents and writes their edges. You may call it
// again.
func (a *adoption) place(ctx context.Context, since time.Time) error {
	a.indexes, a.left, a.missing = map[string]bool{}, nil, nil
	for batch := range followers.Batches(slices.Compact(slices.Sorted(slices.Values(a.Followers)))) {
		members, err := a.placed(ctx, batch)
		if err == nil && members == nil {
			members, err = a.graph.CommitAll(ctx, a.Author, batch, followers.Assumption{Since: since})
		}
		if err != nil {
			return fmt.Errorf("members of %s: %w", a.Author, err)
		}
		for n, f := range batch {
			m := members[n]
			for _, i := range m.Indexes() {
				a.indexes[i] = true
			}
			if len(m.Edge.Left) > 0 {
				a.left = append(a.left, leftFollower{f, m})
			}
			if m.Follows && !m.Written { // otherwise the account is deleted
				a.missing = append(a.missing, missingFollow{f, m.Edge.CreatedAt})
			}
		}
	}
	return nil
}

// placed returns the memberships of a batch if all its followers have a place;
// otherwise none. So a repeated call takes no locks for finished work. (The emulator
// keeps the locks of a transaction that wrote nothing, and each lock slows it down.)
//
// It costs a read if the batch's last edge is missing, as in a new batch; otherwise
// 2n + 1.
func (a *adoption) placed(ctx context.Context, batch []string) ([]followers.Membership, error) {
	last := a.db.Edge(a.Author, batch[len(batch)-1])
	if docs, err := a.db.Client.GetAll(ctx, []*firestore.DocumentRef{last}); err != nil || !docs[0].Exists() {
		return nil, err
	}
	refs := make([]*firestore.DocumentRef, 0, 2*len(batch))
	for _, f := range batch {
		refs = append(refs, a.db.Follower(a.Author, f), a.db.Edge(a.Author, f))
	}
	docs, err := a.db.Client.GetAll(ctx, refs)
	if err != nil {
		return nil, err
	}
	members := make([]followers.Membership, len(batch))
	for n, f := range batch {
		follow, err := followers.ReadFollow(f, docs[2*n], docs[2*n+1])
		if err != nil || !follow.Placed() || follow.Doubted {
			return nil, nil // the members transaction handles them
		}
		members[n] = followers.Membership{
			Follows: true, Written: !follow.Since.IsZero(), Edge: *follow.Edge, Updated: docs[2*n+1].UpdateTime,
		}
	}
	return members, nil
}

// atOnce does work for every item, several at once. It stops at the first error that
// o.Again returns.
func atOnce[T any](ctx context.Context, o Options, items []T, work func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(adoptParallel)
	for _, item := range items {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return o.Again(ctx, func() error { return work(ctx, item) })
		})
	}
	return group.Wait()
}

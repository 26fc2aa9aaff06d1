package relations

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
)

// adoptParallel is how many authors, and then how many index documents, one
// call of Adopt writes at once.
const adoptParallel = 8

// Follows are accounts that are to follow an author.
type Follows struct {
	Author    string
	Followers []string // in any order; one that is named twice follows once
}

// CheckFollow reports why f cannot follow u in the index; nil if it can.
func CheckFollow(u, f string) error { return checkFollow(u, f) }

// AdoptOptions are how Adopt goes about it. The zero value is the default.
type AdoptOptions struct {
	Since time.Time // of the follows; zero: now
	// Again does a part of the work, and does it again where it failed and that
	// may help. So an author whose documents are locked does not take down the
	// others of the call. It is called by several goroutines at once. nil: once.
	Again func(ctx context.Context, work func() error) error
}

// Adopt makes every follow of all, as if it were made now: first the followers' places
// in index documents, their mirrors and the relations of the authors' posts, and then
// the follower documents. The events of these find nothing to do, so Adopt needs no
// triggers and does not mind them. It is for graphs that exist already: a few requests
// an author, where a trigger takes as many for each follow.
//
// Who follows already stays as they are. Called twice, or again after a crash or an
// error, it writes what is missing. It is safe to call at once with live follows,
// unfollows and posts, and with itself.
//
// It returns ErrBadDocument when one of the follows cannot be ([CheckFollow]), before
// it has written anything.
//
// It costs, for each author with n followers who are new, in index documents of which k
// are opened and o were there: 3n + k + 2·o + 3 reads (one less where the author has a
// profile) and 2n + 2k + o writes, and one more write where k > 0. Beyond 300
// followers, or 512 KiB of ids, each further batch adds 4 reads and a write. Where
// everything is done it is 2n + 1 reads and one for each index document, and no writes;
// where only some of a batch are new, or a call died before it wrote follower
// documents, up to 2n reads more. To learn who has posts takes a call as many reads as
// there are posts, but no more than 1 + 11 for each author. Relations cost what they
// cost in Follow, once for all of an author's followers.
//
// It holds some 100 bytes in memory for each follower.
func (x *Index) Adopt(ctx context.Context, all []Follows, o AdoptOptions) error {
	if o.Since.IsZero() {
		o.Since = time.Now()
	}
	if o.Again == nil {
		o.Again = func(_ context.Context, work func() error) error { return work() }
	}
	adoptions := make([]*adoption, len(all))
	for n, follows := range all {
		for _, f := range follows.Followers {
			if err := checkFollow(follows.Author, f); err != nil {
				return badDocument(x.follower(follows.Author, f).Path, "%v", err)
			}
		}
		adoptions[n] = &adoption{Index: x, Follows: follows}
	}
	if err := atOnce(ctx, o, adoptions, func(ctx context.Context, a *adoption) error { return a.place(ctx, o.Since) }); err != nil {
		return err
	}
	// A crash from here on, or between two transactions of place, leaves followers
	// in index documents without follower documents, and index documents
	// ahead of their relations. No event comes to finish that: the next call does.
	//
	// An event of one of these followers that comes meanwhile (an old one, or they
	// followed and unfollowed again) takes them out, because there is no follower
	// document. The one that create writes brings an event that puts them back.
	if err := x.syncAdopted(ctx, adoptions, o); err != nil {
		return err
	}
	return atOnce(ctx, o, adoptions, func(ctx context.Context, a *adoption) error { return a.create(ctx) })
}

// adoption is what Adopt has still to do for one author.
type adoption struct {
	*Index
	Follows
	indexes map[string]bool // that followers are in or have left, and so may be ahead of relations
	left    []leftFollower  // whose mirrors say that they have left index documents
	missing []missingFollow // follower documents
}

type missingFollow struct {
	id    string
	since time.Time
}

type leftFollower struct {
	id string
	membership
}

// place puts the followers into index documents and writes their mirrors. It may
// be called again.
func (a *adoption) place(ctx context.Context, since time.Time) error {
	a.indexes, a.left, a.missing = map[string]bool{}, nil, nil
	for batch := range batches(slices.Compact(slices.Sorted(slices.Values(a.Followers)))) {
		members, err := a.placed(ctx, batch)
		if err == nil && members == nil {
			members, err = a.commitAll(ctx, a.Author, batch, assumption{since: since})
		}
		if err != nil {
			return fmt.Errorf("members of %s: %w", a.Author, err)
		}
		for n, f := range batch {
			m := members[n]
			for _, i := range m.indexes() {
				a.indexes[i] = true
			}
			if len(m.mirror.Left) > 0 {
				a.left = append(a.left, leftFollower{f, m})
			}
			if m.follows && !m.written { // else the account is deleted
				a.missing = append(a.missing, missingFollow{f, m.mirror.CreatedAt})
			}
		}
	}
	return nil
}

// placed is where the followers of a batch are, if all of them are in their place
// already; otherwise it is empty. So a call that comes again takes no locks for
// what is done. (The emulator keeps the locks of a transaction that wrote nothing,
// and each of them makes it slower.)
//
// It costs a read where the batch's last mirror is missing, as in a batch that
// is new, and otherwise 2n + 1.
func (a *adoption) placed(ctx context.Context, batch []string) ([]membership, error) {
	last := a.mirror(a.Author, batch[len(batch)-1])
	if docs, err := a.client.GetAll(ctx, []*firestore.DocumentRef{last}); err != nil || !docs[0].Exists() {
		return nil, err
	}
	refs := make([]*firestore.DocumentRef, 0, 2*len(batch))
	for _, f := range batch {
		refs = append(refs, a.follower(a.Author, f), a.mirror(a.Author, f))
	}
	docs, err := a.client.GetAll(ctx, refs)
	if err != nil {
		return nil, err
	}
	members := make([]membership, len(batch))
	for n, f := range batch {
		follow, err := readFollow(f, docs[2*n], docs[2*n+1])
		if err != nil || !follow.placed() || follow.doubted {
			return nil, nil // the members transaction sees to them
		}
		members[n] = membership{
			follows: true, written: !follow.since.IsZero(), mirror: *follow.mirror, updated: docs[2*n+1].UpdateTime,
		}
	}
	return members, nil
}

// batches are the parts of followers that each fit a transaction.
func batches(followers []string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for from, n := 0, 1; n <= len(followers); n++ {
			if n == len(followers) || !fitsBatch(followers[from:n], followers[n]) {
				if !yield(followers[from:n]) {
					return
				}
				from = n
			}
		}
	}
}

// atOnce does work for every item, some at once. The first error that o.Again
// returns ends it.
func atOnce[T any](ctx context.Context, o AdoptOptions, items []T, work func(context.Context, T) error) error {
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

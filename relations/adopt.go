package relations

import (
	"context"
	"fmt"
	"slices"
	"time"

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

// Adopt makes every follow of all, as if each had been made at the time since
// (zero: now): first the followers' places in index documents, their mirrors and
// the relations of the authors' posts, and then the follower documents. The events
// of these find nothing to do, so Adopt needs no triggers and does not mind
// them. It is for graphs that exist already: a few transactions an author, where
// a trigger for each follow takes two.
//
// Who follows already stays as they are. Called twice, or again after a crash or
// an error, it writes what is missing. It is safe to call at once with live
// follows, unfollows and posts, and with itself.
//
// It returns ErrBadDocument when one of the follows cannot be ([CheckFollow]),
// before it has written anything.
//
// It costs, for each author with n followers who are new, in index documents of
// which k are opened and o were there: 3n + k + 2·o + 2 reads (one less where the
// author has a profile) and 2n + 2k + o writes, and one more write where k > 0.
// Beyond 300 followers, or 512 KiB of ids, each further batch adds 3 reads and a
// write. A call that finds everything done makes 2n + k + o + 1 reads and no writes. To learn who has posts takes a call as many reads as
// there are posts, but no more than 1 + 11 for each author. Relations cost what they
// cost in Follow, once for all of an author's followers.
//
// It holds some 100 bytes in memory for each follower.
func (x *Index) Adopt(ctx context.Context, all []Follows, since time.Time) error {
	if since.IsZero() {
		since = time.Now()
	}
	adoptions := make([]*adoption, len(all))
	for n, follows := range all {
		for _, f := range follows.Followers {
			if err := checkFollow(follows.Author, f); err != nil {
				return badDocument(x.follower(follows.Author, f).Path, "%v", err)
			}
		}
		adoptions[n] = &adoption{Index: x, author: follows.Author, indexes: map[string]bool{}}
	}
	if err := atOnce(ctx, all, func(ctx context.Context, n int, follows Follows) error {
		return adoptions[n].place(ctx, follows.Followers, since)
	}); err != nil {
		return err
	}
	// A crash from here on, or between two transactions of place, leaves followers
	// in index documents without follower documents, and index documents
	// ahead of their relations. No event comes to finish that: the next call does.
	//
	// An event of one of these followers that comes meanwhile (an old one, or they
	// followed and unfollowed again) takes them out, because there is no follower
	// document. The one that create writes brings an event that puts them back.
	if err := x.syncAdopted(ctx, adoptions); err != nil {
		return err
	}
	return atOnce(ctx, adoptions, func(ctx context.Context, _ int, a *adoption) error { return a.create(ctx) })
}

// adoption is what Adopt has still to do for one author.
type adoption struct {
	*Index
	author  string
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

// place puts followers into index documents and writes their mirrors.
func (a *adoption) place(ctx context.Context, followers []string, since time.Time) error {
	for batch := range batches(slices.Compact(slices.Sorted(slices.Values(followers)))) {
		members, err := a.commitAssuming(ctx, a.author, batch, since)
		if err != nil {
			return fmt.Errorf("members of %s: %w", a.author, err)
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

// atOnce calls work for every item and its number, some at once. The first
// error ends it.
func atOnce[T any](ctx context.Context, items []T, work func(context.Context, int, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(adoptParallel)
	for n, item := range items {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return work(ctx, n, item)
		})
	}
	return group.Wait()
}

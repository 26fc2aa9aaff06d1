package repair

import (
	"cmp"
	"context"
	"errors"
	"path"
	"sync"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/audit/verify"
)

const (
	// repairRounds is how many rounds in a row may fail to reduce the violations before
	// Repair stops. At rest, one round repairs what fits in memory.
	repairRounds = 3
	// repairParallel is how many authors are repaired at once.
	repairParallel = 8
	// maxLeft is how many violations Repaired holds.
	maxLeft = 20
)

// Repaired is what Repair found, and what is left.
type Repaired struct {
	Before verify.Verified    `json:"before"`
	After  verify.Verified    `json:"after"`
	Left   []verify.Violation `json:"left,omitempty"` // the first 20 of After's violations
	// Missing is how many of After's violations are relations that do not exist, and that the last round
	// has written in vain. Those that clients' writes are about to make are none of them.
	Missing int64 `json:"missing,omitempty"`
}

// Repair verifies, repairs what it found, and verifies again; author "" means all
// authors. It calls report, unless nil, with each violation of the first check. It calls
// progress, unless nil, with the current work ("verify" or "repair") and the number of
// its documents so far. It calls neither twice at once.
//
// Follower documents and posts are the truth, and Repair does not write them. The only
// exception: it deletes the follower document of a user whom the author blocks. In user
// documents, it writes only the two fields that name index documents. It derives
// everything else: it rewrites index documents, edges and relations, or deletes those
// that should not exist. It does not touch unfinished jobs (invariant 4); it first deletes the marks of purges that
// have ended. With an author,
// it repairs what [verify.Verifier.Author] finds.
//
// If it leaves no damage, it deletes the jobs that told of it, which costs a read for each job that
// has failed.
//
// [Repairer.Skipped] gets the documents that the first check leaves out for their ids. What was
// derived from them goes.
//
// Each transaction, and each write with a precondition, covers a part of one author's
// documents. So follows and posts may arrive meanwhile. After a crash at any point, run
// Repair again: it continues. It leaves no jobs, and needs no deployed functions. Where
// nothing is wrong, it writes nothing.
//
// It holds at most Options.Held wrong followers and relations in all. For each of eight
// authors at once, it also holds followers above the capacity of their index documents,
// at most Options.Held. The rest takes further rounds of repair and verify, while each
// leaves fewer violations.
//
// The costs beside the checks, for an author with damaged index documents or followers:
//
//   - a read for each index document;
//   - three reads and at most two writes for each follower reported;
//   - about nine reads and three writes for each follower above a capacity;
//   - a read and a write for each relation of an index document that was rewritten or
//     changed.
func (x *Repairer) Repair(ctx context.Context, author string, report func(verify.Violation), progress func(doing string, documents int64)) (Repaired, error) {
	var out Repaired
	var failed error // by the last round
	var fewest int64
	written := map[string]bool{} // relations that were missing, by the last round
	if err := x.unmark(ctx, author); err != nil {
		return out, err
	}
	for round, stalled := 0, 0; ; round++ {
		found := &findings{authors: map[string]*damage{}, room: x.db.Options.Held, before: written, missing: map[string]bool{}}
		written = found.missing
		verifier := *x.verifier
		if verifier.Skipped = nil; round == 0 && report != nil {
			verifier.Skipped = x.Skipped
		}
		verified, err := verifyFor(ctx, &verifier, author, func(v verify.Violation) {
			found.add(v)
			if round == 0 && report != nil {
				report(v)
			}
		}, progress)
		if err != nil {
			return out, errors.Join(failed, err)
		}
		if round == 0 {
			out.Before = verified
			if err := x.addLeaving(ctx, author, found); err != nil {
				return out, err
			}
		}
		out.After, out.Left, out.Missing = verified, found.first, found.inVain
		if len(found.authors) == 0 {
			return out, x.tellNoMore(ctx, author)
		}
		if round == 0 || verified.Violations < fewest {
			fewest, stalled = verified.Violations, 0
		} else {
			stalled++
		}
		if stalled == repairRounds {
			return out, failed
		}
		if failed = x.repairAll(ctx, found, progress); ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
	}
}

// addLeaving adds to what was found who waits to leave.
func (x *Repairer) addLeaving(ctx context.Context, author string, found *findings) error {
	leaving, err := x.whoLeaves(ctx, author)
	for u, followers := range leaving {
		for _, f := range followers {
			found.add(verify.Violation{Invariant: 1, Author: u, Follower: f})
		}
	}
	return err
}

func verifyFor(ctx context.Context, x *verify.Verifier, author string, report func(verify.Violation), progress func(string, int64)) (verify.Verified, error) {
	read := func(documents int64) {
		if progress != nil {
			progress("verify", documents)
		}
	}
	if author == "" {
		return x.All(ctx, report, read)
	}
	return x.Author(ctx, author, report, read)
}

// repairAll repairs what was found of all authors, or of one. If the repair of one author
// fails, the others go on.
func (x *Repairer) repairAll(ctx context.Context, found *findings, progress func(string, int64)) error {
	var mu sync.Mutex
	var documents int64
	var errs []error
	did := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		documents += int64(n)
		if progress != nil {
			progress("repair", documents)
		}
	}
	var group errgroup.Group
	group.SetLimit(repairParallel)
	for u, d := range found.authors {
		group.Go(func() error {
			if err := x.repairAuthor(ctx, u, d, did); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
			return nil
		})
	}
	_ = group.Wait()
	return errors.Join(errs[:min(len(errs), maxLeft)]...)
}

// findings are the violations of one check that a repair acts on, by author, as many as
// there is room for.
type findings struct {
	authors map[string]*damage
	first   []verify.Violation
	room    int // for authors, followers and relations

	before, missing map[string]bool // relations that the round before has written, and that this one will
	inVain          int64           // of before, and missing again
}

// add adds a violation, or leaves it to the next round.
func (f *findings) add(v verify.Violation) {
	if len(f.first) < maxLeft {
		f.first = append(f.first, v)
	}
	if v.Missing && f.before[v.Document] {
		f.inVain++
	}
	d := f.authors[v.Author]
	if v.Invariant == 4 || f.room == 0 && (d == nil || v.Follower != "" || v.Invariant == 3) {
		return
	}
	if d == nil {
		f.room--
		d = &damage{followers: map[string]bool{}, relations: map[string][]string{}}
		f.authors[v.Author] = d
	}
	if v.Missing {
		f.missing[v.Document] = true
	}
	switch {
	case v.Invariant == 5:
		d.blocked = append(d.blocked, v.Follower)
	case v.Invariant == 3 && cmp.Or(v.Post, v.Index) == "":
		d.strays = append(d.strays, path.Base(v.Document))
	case v.Invariant == 3:
		d.relations[v.Index] = append(d.relations[v.Index], v.Post)
	case v.Follower != "":
		if d.followers[v.Follower] {
			return // reported before for another reason
		}
		d.followers[v.Follower] = true
	default:
		d.structure = true
		return
	}
	f.room = max(0, f.room-1)
}

package relations

import (
	"cmp"
	"context"
	"errors"
	"path"
	"sync"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
)

const (
	// repairRounds is how many rounds of a Repair in a row may leave no fewer violations than one before them. At
	// rest one round is enough for what fits in memory.
	repairRounds = 3
	// repairParallel is how many authors are repaired at once.
	repairParallel = 8
	// maxLeft is how many violations Repaired holds.
	maxLeft = 20
)

// repairAttempts is how often a transaction of a repair is tried where live
// events want the same documents: more than the client's five.
var repairAttempts = firestore.MaxAttempts(20)

// Repaired is what Repair found, and what is left.
type Repaired struct {
	Before Verified    `json:"before"`
	After  Verified    `json:"after"`
	Left   []Violation `json:"left,omitempty"` // the first 20 of After's violations
}

// Repair verifies, repairs what it found, and verifies again; author "" means
// all authors. report, unless nil, is given each violation that the first check
// finds. progress, unless nil, is told what is under way ("verify", "repair")
// and how many documents that has come to. Neither is called twice at once.
//
// Follower documents and posts are the truth and are not written, but for the
// follower document of somebody whom the author blocks, which is deleted; nor is any
// field of users but the two that name index documents. Everything else is
// derived from them and made to agree: index documents, mirrors and relations
// are rewritten where they can be and deleted where none should be. Jobs that
// are not finished (invariant 4) are left alone. With an author it repairs what
// VerifyAuthor finds.
//
// It works by transactions and preconditions, each on a part of one author's
// documents: follows and posts may arrive meanwhile, and it may die at any
// moment; run again it goes on from there. It leaves no jobs and needs no
// functions to be deployed. Where nothing is wrong it writes nothing.
//
// It holds Options.Held followers and relations that are wrong, together, and for each of eight authors as many as
// are too many in their index documents. What is beyond that takes further rounds of repair and verify, for as long as
// each leaves fewer violations.
//
// Beside what the checks read it costs, for an author whose index documents or
// followers are damaged, a read for each index document, and for each follower
// who was named three reads and at most two writes, or some nine reads and three
// writes for one who is too many in an index document; and a read and a write for
// each relation of an index document that is rewritten or changed.
func (x *Index) Repair(ctx context.Context, author string, report func(Violation), progress func(doing string, documents int64)) (Repaired, error) {
	var out Repaired
	var failed error // of the last round
	var fewest int64
	for round, stalled := 0, 0; ; round++ {
		found := &findings{authors: map[string]*damage{}, room: x.opts.Held}
		verified, err := x.verifyFor(ctx, author, func(v Violation) {
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
		}
		out.After, out.Left = verified, found.first
		if len(found.authors) == 0 {
			return out, nil
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

func (x *Index) verifyFor(ctx context.Context, author string, report func(Violation), progress func(string, int64)) (Verified, error) {
	read := func(documents int64) {
		if progress != nil {
			progress("verify", documents)
		}
	}
	if author == "" {
		return x.Verify(ctx, report, read)
	}
	return x.VerifyAuthor(ctx, author, report, read)
}

// repairAll repairs every author that was found. One whose repair fails does
// not keep the others from theirs.
func (x *Index) repairAll(ctx context.Context, found *findings, progress func(string, int64)) error {
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

// findings are the violations of one check that a repair acts on, by author: as many as there is room for.
type findings struct {
	authors map[string]*damage
	first   []Violation
	room    int // for authors, followers and relations
}

// add adds a violation, or leaves it to the next round.
func (f *findings) add(v Violation) {
	if len(f.first) < maxLeft {
		f.first = append(f.first, v)
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
	switch {
	case v.Invariant == 5:
		d.blocked = append(d.blocked, v.Follower)
	case v.Invariant == 3 && cmp.Or(v.Post, v.Index) == "":
		d.strays = append(d.strays, path.Base(v.Document))
	case v.Invariant == 3:
		d.relations[v.Index] = append(d.relations[v.Index], v.Post)
	case v.Follower != "":
		if d.followers[v.Follower] {
			return // named for another reason before
		}
		d.followers[v.Follower] = true
	default:
		d.structure = true
		return
	}
	f.room = max(0, f.room-1)
}

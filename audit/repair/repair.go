package repair

import (
	"cmp"
	"context"
	"errors"
	"path"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/internal/work"
)

const (
	// repairRounds is how many rounds in a row may fail to reduce the violations before
	// Repair stops. At rest, one round repairs everything.
	repairRounds = 3
	// repairParallel is how many authors are repaired at once.
	repairParallel = 8
	// maxLeft is how many violations Repaired holds.
	maxLeft = 20
)

// Repaired describes the violations that Repair found, and the remaining ones.
type Repaired struct {
	Before verify.Verified    `json:"before"`
	After  verify.Verified    `json:"after"`
	Left   []verify.Violation `json:"left,omitempty"` // the first 20 of After's violations
	// Missing is the number of After's violations that are missing relations although the last round wrote them. It
	// does not count relations that events are about to write. It counts at most Options.Held.
	Missing int64 `json:"missing,omitempty"`
	// Marks is the number of marks of ended purges that were deleted first: Before lacks them.
	Marks int64 `json:"marks,omitempty"`
	// Authors is the number of authors that the jobs of damage named. Only RepairDamaged sets it.
	Authors int `json:"authors,omitempty"`
}

// Repair verifies, repairs the violations on the way, and verifies again; author "" means all authors. Without the
// right tombstone key, it could not detect deleted accounts: it returns [followers.ErrNoKey] or
// [followers.ErrOtherKey], and writes nothing. It calls report, unless nil, with each violation of the first check. It
// calls progress, unless nil, with the current work ("verify" or "repair") and the number of its documents so far. It
// makes no two calls of either at once.
//
// Follower documents and posts are the truth, and Repair does not write them. The only
// exception: it deletes the follower document of a user whom the author blocks. In user documents, it writes only the
// two fields that name index documents, and in users and posts the field counts. It derives
// everything else: it rewrites index documents, edges and relations, or deletes those
// that should not exist. It does not touch unfinished jobs (invariant 4); it first deletes the marks of purges that
// have ended. With an author,
// it repairs what [verify.Verifier.Author] finds.
//
// If it leaves no damage, it deletes the failed jobs that reported the damage, if they are as they were listed before
// the last check. Listing them before each check costs a read for each failed job; with an author, for each of the
// author's failed jobs.
//
// [Repairer.Skipped] gets the documents that the first check skips. Repair deletes documents that were derived from
// them.
//
// Each transaction, and each write with a precondition, covers a part of one author's documents. So follows and posts
// may arrive meanwhile. After a crash at any point, run Repair again: it continues. It leaves no jobs, and needs no
// deployed functions. Without violations, it writes nothing.
//
// It holds at most Options.Held wrong followers and relations in all. For each of eight authors at once, it also holds
// followers above the capacity of their index documents, at most Options.Held. When it holds so many, the check waits
// while Repair repairs them, and then goes on. So one check finds all violations, however many there are, and a second
// check finds none. Repair corrects index documents and followers before relations are checked. So Before lacks
// violations of relations that had only these causes. Failed repairs are tried in further rounds, while each round
// leaves fewer violations.
//
// The costs besides the checks, for an author with damaged index documents or followers:
//
//   - two reads for each index document, for each Options.Held wrong followers of the author;
//   - three reads and at most two writes for each follower reported;
//   - about nine reads and three writes for each follower above a capacity;
//   - a read and a write for each relation of an index document that was rewritten or
//     changed.
func (x *Repairer) Repair(ctx context.Context, author string, report func(verify.Violation), progress func(doing string, documents int64)) (Repaired, error) {
	var out Repaired
	if err := x.graph.CheckTombstoneKey(ctx); err != nil {
		return out, err
	}
	var err error
	if out.Marks, err = x.unmark(ctx, author); err != nil {
		return out, err
	}
	var failed error // by the last round
	var fewest int64
	written := map[string]bool{}     // relations that were missing, by the last round
	mended := map[string]time.Time{} // jobs of damage, as they were when their leaving followers were repaired
	for round, stalled := 0, 0; ; round++ {
		told, err := x.told(ctx, author)
		if err != nil {
			return out, errors.Join(failed, err)
		}
		found := &findings{
			held: x.db.Config.Held, mended: map[string]bool{}, before: written, missing: map[string]bool{},
			repair: func(authors map[string]*damage) error { return x.repairAll(ctx, authors, progress) },
		}
		written = found.missing
		found.reset()
		x.leaving(told, mended, func(u, f string) { found.add(verify.Violation{Invariant: 1, Author: u, Follower: f}) })
		var left []verify.Violation
		verifier := *x.verifier
		verifier.Mend = found.mend
		if verifier.Skipped = nil; round == 0 && report != nil {
			verifier.Skipped = x.Skipped
		}
		verified, err := verifyFor(ctx, &verifier, author, func(v verify.Violation) {
			if len(left) < maxLeft {
				left = append(left, v)
			}
			if round == 0 && report != nil {
				report(v)
			}
			found.add(v)
		}, progress)
		if err != nil {
			return out, errors.Join(failed, found.failed.Joined(), err)
		}
		if round == 0 {
			out.Before = verified
		}
		out.After, out.Left, out.Missing = verified, left, found.inVain
		if found.nothing() {
			return out, x.tellNoMore(ctx, told)
		}
		if round == 0 || verified.Violations < fewest {
			fewest, stalled = verified.Violations, 0
		} else {
			stalled++
		}
		if found.mend(); ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		if failed = found.failed.Joined(); stalled == repairRounds {
			return out, failed
		}
		if failed == nil {
			for _, job := range told {
				mended[job.doc.Ref.ID] = job.doc.UpdateTime
			}
		}
	}
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

// repairAll repairs the findings of all authors, or of one. If the repair of one author fails, the others go on.
func (x *Repairer) repairAll(ctx context.Context, authors map[string]*damage, progress func(string, int64)) error {
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
	for u, d := range authors {
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

// findings holds the violations of one check that a repair acts on, by author. When there is no more room, they are
// repaired.
type findings struct {
	held   int // authors, followers and relations
	repair func(map[string]*damage) error
	failed work.Failures // of repairs

	authors map[string]*damage
	room    int
	mended  map[string]bool // authors that were repaired

	before, missing map[string]bool // relations that the round before wrote, and that this round writes
	inVain          int64           // number of relations in before that are missing again
}

func (f *findings) reset() { f.authors, f.room = map[string]*damage{}, f.held }

// nothing reports whether there are no findings.
func (f *findings) nothing() bool { return len(f.mended) == 0 && len(f.authors) == 0 }

// mend repairs the findings so far, and returns the authors concerned, including those of earlier calls. Failed repairs
// are left to the next check.
func (f *findings) mend() (authors map[string]bool) {
	if len(f.authors) > 0 {
		f.failed.Add(f.repair(f.authors))
	}
	for u := range f.authors {
		f.mended[u] = true
	}
	f.reset()
	return f.mended
}

// add adds a violation. A violation of one author may need room for the author too.
func (f *findings) add(v verify.Violation) {
	if v.Missing && f.before[v.Document] {
		f.inVain++
	}
	if v.Missing && len(f.missing) < f.held {
		f.missing[v.Document] = true
	}
	if v.Invariant == 4 {
		return
	}
	if f.room <= 0 {
		f.mend()
	}
	d := f.authors[v.Author]
	if d == nil {
		f.room--
		d = &damage{followers: map[string]bool{}, relations: map[string][]string{}}
		f.authors[v.Author] = d
	}
	switch {
	case v.Invariant == 6:
		d.tallies = append(d.tallies, v.Tally)
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
	f.room--
}

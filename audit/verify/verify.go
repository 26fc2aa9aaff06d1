package verify

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"example.com/relationindex/audit/strange"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/tallies"
)

// Violation is one document that breaks an invariant.
type Violation struct {
	Document string `json:"document"` // its path below the database
	// Invariant is the number of the invariant, whose full text is in ARCHITECTURE.md:
	//
	//   - 1: followers, index documents and edges agree;
	//   - 2: index documents are well-formed, and the user document names them;
	//   - 3: relations agree with posts and index documents;
	//   - 4: no job is queued or running, and no purge is marked;
	//   - 5: nobody follows an author who blocks them, or whom they block;
	//   - 6: numbers and notifications are what counting finds.
	Invariant int    `json:"invariant"`
	Problem   string `json:"problem"`

	// The fields below identify the subject of the violation; "" if there is none, or several.
	//
	// Author is who is followed: the author, or the post's audience. For a direct relation, it is the post's author.
	Author   string `json:"author,omitempty"`
	Follower string `json:"follower,omitempty"` // of the author
	// Index is an index document of the author, or [schema.DirectIndex]. With Post, it
	// names the relation that belongs at Document.
	Index string `json:"index,omitempty"`
	Post  string `json:"post,omitempty"`
	// Missing says that this relation does not exist.
	Missing bool `json:"-"`
	// Tally is the number or the notification that is wrong.
	Tally tallies.Subject `json:"-"`
}

// String returns a line for people: the document, and its error.
func (v Violation) String() string {
	return fmt.Sprintf("%s: %s (invariant %d)", v.Document, v.Problem, v.Invariant)
}

// Verified counts the documents that Verify read, and the violations that it reported.
type Verified struct {
	Followers      int64 `json:"followers"`
	IndexDocuments int64 `json:"indexDocuments"`
	Edges          int64 `json:"edges"`
	Posts          int64 `json:"posts"`                  // for Author: posts for the author as audience
	Ignored        int64 `json:"ignoredPosts,omitempty"` // posts that nobody gets, because they have no author
	Relations      int64 `json:"relations"`
	Jobs           int64 `json:"jobs"` // not finished
	Blocks         int64 `json:"blocks"`
	Tallies        int64 `json:"tallies,omitempty"` // numbers and notifications
	Violations     int64 `json:"violations"`
	Skipped        int64 `json:"skipped,omitempty"` // documents that Verifier.Skipped gets
}

// All checks the invariants that hold when no event or job is under way, and calls report with each violation. It
// changes nothing. It calls progress, unless nil, with the number of documents read so far. It makes no two calls of
// either at once, and waits for each call.
//
// It reads every follower document, edge, index document, relation and block once. It reads every post once, the posts
// of audiences once more, and a follower document for each block. It reads differing documents again.
//
// It keeps digests: about 100 bytes for each index document, and for each 8,192 followers
// of an author. It holds few documents at a time, for an author of any size, and
// Options.Held followers where documents are wrong.
//
// If relations are off, it skips them. With numbers or notifications, it reads each account and each post once more,
// and recounts their numbers.
//
// With a horizon, an older post may lack its relation. An existing relation must be right.
//
// A follower document that cannot be indexed, such as an author's own, is neither a follow nor a violation. A post
// without an author is no violation either. [Verifier.Skipped] gets the skipped posts, follows and blocks, and posts
// without createdAt, which lists leave out.
func (x *Verifier) All(ctx context.Context, report func(Violation), progress func(documents int64)) (Verified, error) {
	v := x.newCheck(report, progress)
	err := v.run(ctx, "verify", v.checkFollowers, v.checkBlocks, v.mend, v.checkRelations, v.checkTallies, v.checkJobs)
	return v.count, err
}

// Relations is the part of All that compares index documents with relations, and
// both with posts and user documents: invariants 2 and 3. It reads no follower documents
// and no edges.
func (x *Verifier) Relations(ctx context.Context, report func(Violation), progress func(documents int64)) (Verified, error) {
	v := x.newCheck(report, progress)
	v.relationsOnly = true
	err := v.run(ctx, "verify relations", v.nameIndexes, v.digestOthers, v.checkRelations)
	return v.count, err
}

func (x *Verifier) newCheck(report func(Violation), progress func(int64)) *check {
	return &check{
		Verifier: x, report: report, progress: progress, hash: newHasher(), strange: strange.Names{Report: x.Skipped},
		indexes: map[string][]string{}, authors: map[string]*verifiedAuthor{},
	}
}

// check is one run of All, Author or Relations.
type check struct {
	*Verifier
	report   func(Violation)
	progress func(int64)
	hash     hasher

	only          string // the author of Author; "": all
	relationsOnly bool   // set by Relations
	strange       strange.Names
	horizon       schema.Horizon

	mu     sync.Mutex
	count  Verified
	direct int64 // relations of no audience that posts led to
	read   int64
	// indexes names the index documents of each author. It is complete before authors are
	// checked.
	indexes map[string][]string
	// authors are the authors who have followers or index documents.
	authors map[string]*verifiedAuthor
	// unknown says that there are edges of users not in authors.
	unknown bool
}

// run makes the checks, one after the other.
func (v *check) run(ctx context.Context, what string, checks ...func(context.Context) error) error {
	for _, check := range append([]func(context.Context) error{v.readHorizon}, checks...) {
		if err := check(ctx); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	v.count.Skipped = v.strange.Count()
	return nil
}

// mend calls Mend, and reads the index documents of the repaired authors again: relations are compared with them.
func (v *check) mend(ctx context.Context) error {
	if v.Mend == nil {
		return nil
	}
	counted := v.count.IndexDocuments
	for u := range v.Mend() {
		ids, err := v.IndexDocuments(ctx, u)
		if err != nil {
			return err
		}
		delete(v.authors, u)
		if v.indexes[u] = ids[u]; ids[u] == nil {
			delete(v.indexes, u)
		}
	}
	err := v.digestOthers(ctx)
	v.count.IndexDocuments = counted
	return err
}

// verifyParallel is the number of authors checked at once.
const verifyParallel = 16

// maxJobs is the most unfinished jobs that verify reads.
const maxJobs = 1000

// checkJobs checks invariant 4. For one author, it reports only the author's mark, and jobs
// on the author's index documents, and on posts that are the author's now.
func (v *check) checkJobs(ctx context.Context) error {
	if v.NoJobs {
		return nil
	}
	jobs, err := v.engine.Unfinished(ctx, maxJobs)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		ours := v.only == "" || job.Args[schema.ArgAuthor] == v.only
		if p, ok := job.Args[schema.ArgPost]; ok && !ours {
			if ours, err = v.postOfOne(ctx, p); err != nil {
				return err
			}
		}
		if ours {
			v.unfinished(job)
		}
	}
	for mark, err := range store.Documents(ctx, v.db.Client.Collection(names.Purging).Query) {
		if err != nil {
			return err
		}
		if schema.IsPurging(mark) && (v.only == "" || v.only == mark.Ref.ID) {
			v.violation(Violation{Invariant: 4, Document: mark.Ref.Path, Author: mark.Ref.ID}, "no client can create this account: its purge is under way, or has left this mark, which relationindex repair deletes")
		}
	}
	return nil
}

func (v *check) unfinished(job chunker.Job) {
	v.seen(&v.count.Jobs, 1)
	v.violation(Violation{
		Invariant: 4, Document: job.Path, Author: job.Args[schema.ArgAuthor], Index: job.Args[schema.ArgIndex], Post: job.Args[schema.ArgPost],
	}, "%s", openJob(job))
}

// openJob describes the progress of an unfinished job.
func openJob(job chunker.Job) string {
	if job.Waiting() {
		return "job waits: the brake is on, or was until now"
	}
	return "job is " + string(job.State)
}

// violation reports a document by its path below the database.
func (v *check) violation(violation Violation, format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.count.Violations++
	if _, below, ok := strings.Cut(violation.Document, "/documents/"); ok {
		violation.Document = below
	}
	violation.Problem = fmt.Sprintf(format, args...)
	v.report(violation)
}

// seen counts n documents of a kind.
func (v *check) seen(kind *int64, n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	*kind += int64(n)
	v.read += int64(n)
	if v.progress != nil {
		v.progress(v.read)
	}
}

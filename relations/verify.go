package relations

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
	"google.golang.org/api/iterator"

	"example.com/relationindex/chunker"
)

// Violation is one document that breaks an invariant.
type Violation struct {
	Document string `json:"document"` // its path below the database
	// Invariant is 1 (followers, index documents and mirrors agree), 2 (index
	// documents are well-formed and the user document names them), 3
	// (relations agree with posts and index documents), 4 (no job is under way)
	// or 5 (nobody follows who is blocked). ARCHITECTURE.md tells them whole.
	Invariant int    `json:"invariant"`
	Problem   string `json:"problem"`

	// What the violation is about, as far as it is about one of each; "" otherwise.
	Author   string `json:"author,omitempty"`
	Follower string `json:"follower,omitempty"` // of the author
	// Index is the index document of the author. With Post it names the
	// relation that belongs where Document is.
	Index string `json:"index,omitempty"`
	Post  string `json:"post,omitempty"`
}

func (v Violation) String() string {
	return fmt.Sprintf("%s: %s (invariant %d)", v.Document, v.Problem, v.Invariant)
}

// Verified is what Verify read, and how many violations it reported.
type Verified struct {
	Followers      int64 `json:"followers"`
	IndexDocuments int64 `json:"indexDocuments"`
	Mirrors        int64 `json:"mirrors"`
	Posts          int64 `json:"posts"` // of authors who have followers or relations
	Relations      int64 `json:"relations"`
	Jobs           int64 `json:"jobs"` // not finished
	Blocks         int64 `json:"blocks"`
	Violations     int64 `json:"violations"`
}

// Verify checks the invariants that hold when nothing is in flight, and gives
// each violation to report. It changes nothing. progress, unless nil, is told
// the number of documents read so far. Neither is called twice at once.
//
// It reads every follower document, mirror, index document, relation and block once,
// the posts of their authors, and a follower document for each block. It holds one author's follower ids in memory
// for each of some authors at a time, and some 100 bytes for each index document.
//
// A follower document that cannot be indexed, such as an author's own, is no
// follow and no violation.
func (x *Index) Verify(ctx context.Context, report func(Violation), progress func(documents int64)) (Verified, error) {
	v := x.verifier(report, progress)
	for _, check := range []func(context.Context) error{
		v.checkFollowers, v.checkMirrors, v.checkRelations, v.checkJobs, v.checkBlocks,
	} {
		if err := check(ctx); err != nil {
			return v.count, fmt.Errorf("verify: %w", err)
		}
	}
	return v.count, nil
}

func (x *Index) verifier(report func(Violation), progress func(int64)) *verifier {
	return &verifier{Index: x, report: report, progress: progress, indexes: map[string]int{}, authors: map[string]map[string]indexSummary{}}
}

// verifier is one run of Verify or VerifyAuthor.
type verifier struct {
	*Index
	report   func(Violation)
	progress func(int64)

	mu    sync.Mutex
	count Verified
	read  int64
	// only is the author of VerifyAuthor; "" in Verify.
	only string
	// matched counts the mirrors that belong to a follow.
	matched int64
	// indexes counts the index documents of each author. Complete before
	// authors are checked.
	indexes map[string]int
	// authors holds, for each author with followers or index documents, what
	// relations have to agree with, by index id.
	authors map[string]map[string]indexSummary
}

// verifyParallel is how many authors are checked at once.
const verifyParallel = 16

// maxJobs is how many unfinished jobs are named, or looked at.
const maxJobs = 1000

// checkJobs is invariant 4.
func (v *verifier) checkJobs(ctx context.Context) error {
	jobs, err := v.engine.Unfinished(ctx, maxJobs)
	for _, job := range jobs {
		v.unfinished(job)
	}
	return err
}

func (v *verifier) unfinished(job chunker.Job) {
	v.seen(&v.count.Jobs, 1)
	v.violation(Violation{
		Invariant: 4, Document: job.Path, Author: job.Args[argAuthor], Index: job.Args[argIndex], Post: job.Args[argPost],
	}, "job is %s", job.State)
}

// violation reports a document, by its path below the database.
func (v *verifier) violation(violation Violation, format string, args ...any) {
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
func (v *verifier) seen(kind *int64, n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	*kind += int64(n)
	v.read += int64(n)
	if v.progress != nil {
		v.progress(v.read)
	}
}

// grouped calls check for each run of documents of one author, several at a
// time, with what read made of each. The query has to return an author's documents one after the other.
func grouped[T any](
	ctx context.Context, q firestore.Query,
	read func(*firestore.DocumentSnapshot) (author string, item T, ours bool),
	check func(ctx context.Context, author string, items []T) error,
) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	var items []T
	var current string
	flush := func() {
		if u, part := current, items; len(part) > 0 {
			group.Go(func() error { return check(ctx, u, part) })
		}
		items = nil
	}
	for doc, err := range documents(ctx, q) {
		if err != nil {
			return errors.Join(err, group.Wait())
		}
		u, item, ours := read(doc)
		if !ours {
			continue
		}
		if u != current {
			flush()
			current = u
		}
		items = append(items, item)
	}
	flush()
	return group.Wait()
}

// documents are the results of a query, one after the other.
func documents(ctx context.Context, q firestore.Query) iter.Seq2[*firestore.DocumentSnapshot, error] {
	return func(yield func(*firestore.DocumentSnapshot, error) bool) {
		it := q.Documents(ctx)
		defer it.Stop()
		for {
			doc, err := it.Next()
			if errors.Is(err, iterator.Done) || !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

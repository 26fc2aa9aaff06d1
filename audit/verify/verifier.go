package verify

import (
	"context"

	"example.com/relationindex/audit/strange"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/batch"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/tallies"
)

// Verifier checks the documents of one database. It is safe for concurrent use.
type Verifier struct {
	// Skipped gets the documents that are left out, and why; nil: not called. Set it before the
	// first call.
	Skipped func(strange.Skipped)

	// Mend repairs the reported violations of followers, index documents and blocks. It returns the authors whose index
	// documents may have changed since the check began: these are read again before relations are checked. nil: not
	// called. Set it before the first call.
	Mend func() (authors map[string]bool)

	// NoJobs leaves out invariant 4, which costs a read for each unfinished job of all authors. Set it before
	// the first call.
	NoJobs bool

	// Newest is the number of an author's newest posts of which [Verifier.Author] checks numbers and notifications; 0:
	// all. Set it before the first call.
	Newest int

	db      *schema.Database
	engine  *chunker.Engine
	tallies *tallies.Tallies
	// memory is for the index documents that are held while report is called. It is not the pool's: report may repair,
	// which uses the pool's.
	memory *batch.Limiter
}

// New makes the verifier of a system. It sends no requests.
func New(s *social.System) *Verifier {
	return &Verifier{db: s.DB, engine: s.Engine, tallies: s.Tallies, memory: batch.NewLimiter(work.Budget(), verifyParallel)}
}

// IndexDocuments returns the ids of the existing index documents, in order, by author.
// author "" means all authors. It costs a read for each.
func (x *Verifier) IndexDocuments(ctx context.Context, author string) (map[string][]string, error) {
	c := x.newCheck(nil, nil)
	c.only = author
	err := c.nameIndexes(ctx)
	return c.indexes, err
}

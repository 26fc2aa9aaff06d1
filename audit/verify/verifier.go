package verify

import (
	"context"

	"example.com/relationindex/assembly"
	"example.com/relationindex/audit/strange"
	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/schema"
)

// Verifier checks the documents of one database. It is safe for concurrent use.
type Verifier struct {
	// Skipped gets the documents that are left out for their ids; nil: not called. Set it
	// before the first call.
	Skipped func(strange.Skipped)

	db     *schema.Database
	engine *chunker.Engine
	graph  *followers.Graph
}

// New makes the verifier of a system. It sends no requests.
func New(s *assembly.System) *Verifier {
	return &Verifier{db: s.DB, engine: s.Engine, graph: s.Graph}
}

// IndexDocuments returns the ids of the existing index documents, in order, by author.
// author "" means all authors. It costs a read for each.
func (x *Verifier) IndexDocuments(ctx context.Context, author string) (map[string][]string, error) {
	c := x.newCheck(nil, nil)
	c.only = author
	err := c.nameIndexes(ctx)
	return c.indexes, err
}

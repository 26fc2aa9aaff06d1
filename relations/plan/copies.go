package plan

import (
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// Copies is the size of the relations of some index documents.
type Copies struct {
	Indexes     int // how many index documents
	IDs         int // bytes of ids in the index documents and their relations
	Transaction int // estimated transaction bytes of writing the relations
}

// Plus returns the sum of both.
func (c Copies) Plus(d Copies) Copies {
	return Copies{c.Indexes + d.Indexes, c.IDs + d.IDs, c.Transaction + d.Transaction}
}

// Next returns how many index documents to read next, to copy them for posts. The first time, it assumes that each is
// full. Later it assumes that the next ones are like the earlier ones. It never returns more full documents than fit in
// bytes.
func (c Copies) Next(o schema.Config, posts []string, bytes int) int {
	like := 0
	if c.Indexes > 0 {
		like = (schema.TransactionLimit - c.Transaction) * c.Indexes / max(1, c.Transaction)
	} else {
		full := 0
		for _, p := range posts {
			full += FullBytes(o, schema.RelationID(p, schema.IndexID(1)))
		}
		like = schema.TransactionBytes / full
	}
	return max(1, min(like, (bytes-c.IDs)/o.FullBytes()))
}

// CopiesOf returns the size of the relations of posts and an index document. It
// counts the ids themselves, because the document's count and size may be wrong.
func CopiesOf(states []posts.Post, index schema.IndexDocument) Copies {
	size := schema.IDsBytes(index.Followers)
	c := Copies{Indexes: 1, IDs: size * (1 + len(states))}
	for _, post := range states {
		c.Transaction += RelationBytes(schema.RelationID(post.ID, index.ID), len(index.Followers), size) + copiedBytes(post.Fields)
	}
	return c
}

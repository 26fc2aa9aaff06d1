package pages

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/batch"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

const (
	// memoryBudget is the most bytes of documents, as stored, that the pages of a process hold at a
	// time: as much as functions hold of arrays. Decoded, they take ten times as much.
	memoryBudget = 8 << 20

	// pagesAtOnce is the most pages that read documents at a time.
	pagesAtOnce = 32
)

// memory is the budget of this process, whatever database it reads.
var memory = batch.NewLimiter(memoryBudget, pagesAtOnce)

// holding calls do while it holds a share of the budget for n documents like ref. do must keep nothing of the documents
// except the entries that it returns.
func holding(ctx context.Context, n int, ref *firestore.DocumentRef, do func(ctx context.Context) error) error {
	share, err := memory.Take(ctx, n*layout.BytesOf(ref))
	if err != nil {
		return err
	}
	defer share.Release()
	return do(ctx)
}

// read reads documents of a timeline by name, and calls use for each.
func read(ctx context.Context, db *schema.Database, refs []*firestore.DocumentRef, use func(n int, doc layout.Document)) error {
	return holding(ctx, len(refs), refs[0], func(ctx context.Context) error {
		docs, err := db.Client.GetAll(ctx, refs)
		if err != nil {
			return err
		}
		for n, snap := range docs {
			use(n, layout.Read(snap))
		}
		return nil
	})
}

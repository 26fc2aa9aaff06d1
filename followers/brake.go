package followers

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
)

// Adding wraps a page that brings posts to more readers, and takes nothing away. While the brake is on, such a page
// waits. See [schema.BrakeDocument].
func (x *Graph) Adding(page chunker.PageFunc) chunker.PageFunc {
	return func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		if x.db.Braked() {
			return chunker.Page{Waits: true}, nil
		}
		return page(ctx, job, after, limit)
	}
}

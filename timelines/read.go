package timelines

import (
	"context"

	"example.com/relationindex/timelines/layout"
)

// List returns a reader's newest entries, at most limit, in the order of the layout: by at,
// newest first; of buckets, as they came, and within a bucket by at. Concurrent changes may
// be missing.
func (x *Delivery) List(ctx context.Context, reader string, limit int) ([]layout.Entry, error) {
	entries, _, err := x.layout.Page(ctx, x.db, reader, layout.Position{}, limit)
	return entries, err
}

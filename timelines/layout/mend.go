package layout

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// Mend rebuilds a missing open, after the highest sequence. If open exists, Mend costs a read.
func (l Buckets) Mend(ctx context.Context, db *schema.Database, reader string) error {
	b, err := l.openOf(ctx, db, reader)
	if err != nil || b.open.Exists {
		return err
	}
	if err := remake(ctx, db, reader, b); err != nil || len(b.closed) == 0 {
		return err
	}
	if _, err = b.open.Ref.Create(ctx, b.dataOfOpen()); store.IsStale(err) {
		return nil // another one has made it
	}
	return err
}

func (l Buckets) openOf(ctx context.Context, db *schema.Database, reader string) (*buckets, error) {
	docs, err := db.Client.GetAll(ctx, []*firestore.DocumentRef{db.Timeline(reader).Doc(OpenID)})
	if err != nil {
		return nil, err
	}
	return newBuckets(l.Ring, Read(docs[0])), nil
}

// Writes is a method of [Layout].
func (Buckets) Writes(doc Document) bool { return doc.shape == bucket }

// Made returns a reader's ring, the sequence of open and the total, as a rebuild of open from all closed
// buckets would set them. It costs a read for open, and one for each closed bucket.
func (l Buckets) Made(ctx context.Context, db *schema.Database, reader string) (ring Ring, sequence, total int64, err error) {
	b, err := l.openOf(ctx, db, reader)
	if err == nil {
		err = remake(ctx, db, reader, b)
	}
	if err != nil {
		return Ring{}, 0, 0, err
	}
	return b.ring, b.sequence, b.total, nil
}

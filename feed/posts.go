package feed

import (
	"context"
	"errors"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
)

// posts reads posts by name in one call, if they take at most left bytes. Otherwise it reads the first half, the first
// quarter and so on, until the posts fit. found includes posts that do not exist. took is the number of bytes received.
func (f *Feed) posts(ctx context.Context, refs []*firestore.DocumentRef, left int) (found map[string]*firestore.DocumentSnapshot, took int, err error) {
	docs, _, took, err := thatFit(ctx, len(refs), left, func(ctx context.Context, n int) ([]*firestore.DocumentSnapshot, error) {
		return f.get(ctx, refs[:n])
	})
	found = make(map[string]*firestore.DocumentSnapshot, len(docs))
	for _, doc := range docs {
		found[doc.Ref.ID] = doc
	}
	return found, took, err
}

// thatFit calls read for most documents. While these take more than left bytes, it calls read for half as many. n is
// the number of documents in the last call; 0 if not even one document fits.
func thatFit[T any](ctx context.Context, most, left int, read func(ctx context.Context, n int) ([]T, error)) (found []T, n, took int, err error) {
	for n := most; n > 0; n /= 2 {
		limited, ceiling := wire.WithCeiling(ctx, left)
		found, err := read(limited, n)
		if errors.Is(err, wire.ErrTooLarge) {
			continue
		}
		return found, n, ceiling.Received(), err
	}
	return nil, 0, 0, nil
}

// get reads documents by name; none without a call.
func (f *Feed) get(ctx context.Context, refs []*firestore.DocumentRef) ([]*firestore.DocumentSnapshot, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	return f.client.GetAll(ctx, refs)
}

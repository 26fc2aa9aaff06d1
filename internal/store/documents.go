package store

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Documents yields the results of a query. After an interruption, it continues after the
// last document: Firestore ends a long query after a minute.
func Documents(ctx context.Context, q firestore.Query) iter.Seq2[*firestore.DocumentSnapshot, error] {
	return func(yield func(*firestore.DocumentSnapshot, error) bool) {
		for fruitless := 0; ; {
			it := q.Documents(ctx)
			for {
				doc, err := it.Next()
				if err == nil {
					fruitless, q = 0, q.StartAfter(doc)
					if !yield(doc, nil) {
						it.Stop()
						return
					}
					continue
				}
				it.Stop()
				if errors.Is(err, iterator.Done) {
					return
				}
				if fruitless++; !retry(ctx, err, fruitless) {
					yield(nil, err)
					return
				}
				break
			}
		}
	}
}

// ReadAll reads documents by name, and again after an interruption.
func ReadAll(ctx context.Context, client *firestore.Client, refs []*firestore.DocumentRef) ([]*firestore.DocumentSnapshot, error) {
	for tries := 1; ; tries++ {
		docs, err := client.GetAll(ctx, refs)
		if err == nil || !retry(ctx, err, tries) {
			return docs, err
		}
	}
}

// maxTries is how often a read without progress is tried. After its n-th such try, from
// the second, the pause is at most firstPause << n.
const (
	maxTries   = 6
	firstPause = 50 * time.Millisecond
)

// retry reports whether to read again after err, the fruitless-th error in a row. It
// pauses first, but not after the first error.
func retry(ctx context.Context, err error, fruitless int) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Internal, codes.Aborted, codes.ResourceExhausted:
	default:
		return false
	}
	if fruitless >= maxTries {
		return false
	}
	if fruitless == 1 {
		return ctx.Err() == nil
	}
	pause := firstPause << fruitless
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause/2 + rand.N(pause/2)): //nolint:gosec // spreads retries, guards nothing
		return true
	}
}

package relations

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// halved calls work with items, which it writes in one transaction. Where
// Firestore refuses that as a request that it will never take, one item may be
// to blame: halved calls work with each half, and so on, until what is refused
// is alone. It returns the errors of those, when all others are written.
func halved[T any](items []T, work func([]T) error) error {
	err := work(items)
	if status.Code(err) != codes.InvalidArgument || len(items) < 2 {
		return err
	}
	half := len(items) / 2
	return errors.Join(halved(items[:half], work), halved(items[half:], work))
}

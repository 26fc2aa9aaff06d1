package relations

import "errors"

// halved calls work, which writes items in one transaction. If Firestore permanently
// rejects the request, a single item may be the cause. So halved calls work with each
// half, recursively, until the rejected items are isolated. It calls alone for each of
// them. It returns the errors after all other items are written.
func halved[T any](items []T, work func([]T) error, alone func(item T, refused error) error) error {
	err := work(items)
	switch {
	case !isRefused(err) || len(items) == 0:
		return err
	case len(items) == 1:
		return alone(items[0], err)
	}
	half := len(items) / 2
	return errors.Join(halved(items[:half], work, alone), halved(items[half:], work, alone))
}

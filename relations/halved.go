package relations

import "errors"

// halved calls work with items, which it writes in one transaction. Where
// Firestore refuses that as a request that it will never take, one item may be
// to blame: halved calls work with each half, and so on, until what is refused
// is alone. That one is left to alone. It returns what failed, when all others
// are written.
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

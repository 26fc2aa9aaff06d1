package work

import (
	"errors"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// BisectRejected calls work, which writes items in one transaction. If Firestore
// permanently rejects the request, a single item may be the cause. So BisectRejected calls
// work with each half, recursively, until the rejected items are isolated. It calls alone
// for each rejected item. It returns the errors after all other items are written.
func BisectRejected[T any](items []T, work func([]T) error, alone func(item T, rejected error) error) error {
	err := work(items)
	switch {
	case !store.IsRejected(err) || len(items) == 0:
		return err
	case len(items) == 1:
		return alone(items[0], err)
	}
	half := len(items) / 2
	return errors.Join(BisectRejected(items[:half], work, alone), BisectRejected(items[half:], work, alone))
}

// SplitByBytes splits items into parts, in order, of at most TransactionBytes by bytes. An
// item above that is a part of its own.
func SplitByBytes[T any](items []T, bytes func(T) int) (parts [][]T) {
	from, sum := 0, 0
	for n, item := range items {
		b := bytes(item)
		if n > from && sum+b > schema.TransactionBytes {
			parts, from, sum = append(parts, items[from:n]), n, 0
		}
		sum += b
	}
	if from < len(items) {
		parts = append(parts, items[from:])
	}
	return parts
}

package repair

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// unmark deletes the marks that failed or canceled purges have left: the mark of author, or with "" all such marks. Marks
// of purges under way stay, and of those that have just ended. Each mark costs a read, and a deleted one two more and a
// delete. unmark returns the number of deleted marks.
func (x *Repairer) unmark(ctx context.Context, author string) (unmarked int64, err error) {
	marks := x.db.Client.Collection(names.Purging).Query
	if author != "" {
		marks = marks.Where(firestore.DocumentID, "==", x.db.Purging(author))
	}
	for mark, err := range store.Documents(ctx, marks) {
		if err != nil {
			return unmarked, err
		}
		if !schema.IsPurging(mark) {
			continue
		}
		deleted, err := x.accounts.Unmark(ctx, mark.Ref.ID)
		if err != nil {
			return unmarked, err
		}
		if deleted {
			unmarked++
		}
	}
	return unmarked, nil
}

package repair

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema/names"
)

// unmark deletes the marks that purges have left: of author, or with "" all. It costs a read for each, and
// two more and a delete. Those of purges under way stay. It returns how many it has deleted.
func (x *Repairer) unmark(ctx context.Context, author string) (unmarked int64, err error) {
	marks := x.db.Client.Collection(names.Purging).Select()
	if author != "" {
		marks = marks.Where(firestore.DocumentID, "==", x.db.Purging(author))
	}
	for mark, err := range store.Documents(ctx, marks) {
		if err != nil {
			return unmarked, err
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

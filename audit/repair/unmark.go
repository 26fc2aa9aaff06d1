package repair

import (
	"context"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema/names"
)

// unmark deletes the marks that purges have left: of author, or with "" all. It costs a read, and
// two more and a delete for each. Those of purges under way stay.
func (x *Repairer) unmark(ctx context.Context, author string) error {
	for mark, err := range store.Documents(ctx, x.db.Client.Collection(names.Purging).Select()) {
		if err != nil {
			return err
		}
		if author == "" || author == mark.Ref.ID {
			if _, err := x.accounts.Unmark(ctx, mark.Ref.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

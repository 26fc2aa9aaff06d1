package repair

import (
	"context"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema/names"
)

// unmark deletes the marks that purges have left: of author, or with "" all. It costs two reads and a
// delete for each, and with "" a read more. Those of purges under way stay.
func (x *Repairer) unmark(ctx context.Context, author string) error {
	if author != "" {
		_, err := x.accounts.Unmark(ctx, author)
		return err
	}
	for mark, err := range store.Documents(ctx, x.db.Client.Collection(names.Purging).Select()) {
		if err != nil {
			return err
		}
		if _, err := x.accounts.Unmark(ctx, mark.Ref.ID); err != nil {
			return err
		}
	}
	return nil
}

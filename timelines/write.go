package timelines

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/runtime/batch"
	"example.com/relationindex/internal/runtime/logging"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// A transaction writes to this many timelines, or edits this many documents, at most.
const batchSize = 100

// unit is what one transaction writes of: a reader, or a document of a timeline.
type unit interface {
	// timeline returns whose timeline it is, and the document for the log.
	timeline() (reader, path string)
	// asRead says that the write relies on how the document was listed.
	asRead() bool
}

// errReplan is the error of a transaction whose plan no longer fits what it has read with
// a lock: the post, the index document, the edge. The caller plans again.
var errReplan = fmt.Errorf("%w: what decides has changed", store.ErrStale)

// writeEach writes batches of units at once, as far as memory allows. bytes estimates what a
// unit holds in memory. It counts the batches that have to be planned again.
func writeEach[U unit](ctx context.Context, x *Delivery, units []U, bytes int, write func(ctx context.Context, tx *firestore.Transaction, units []U) error) (stale int, err error) {
	held := func(part []U) int { return len(part) * bytes }
	return work.EachHolding(ctx, x.graph.Pool, store.Chunks(units, batchSize), held, func(ctx context.Context, _ *batch.Share, part []U) error {
		return writeAll(ctx, x, part, write)
	})
}

// writeAll writes units in a transaction, which calls write. If it fails because another
// one wrote a document of one unit, or because it is too large, writeAll splits it, and
// tries each part again. What Firestore rejects for good is left out and logged.
//
// A crash between two parts leaves the rest to the event, or to the job's page.
func writeAll[U unit](ctx context.Context, x *Delivery, units []U, write func(ctx context.Context, tx *firestore.Transaction, units []U) error) error {
	var err error
	for try := range work.MaxRounds {
		err = x.db.Client.RunTransaction(x.graph.WithoutFollowers(ctx), func(ctx context.Context, tx *firestore.Transaction) error {
			return write(ctx, tx, slices.Clone(units))
		})
		lost := err != nil && !errors.Is(err, store.ErrStale) && (store.IsStale(err) || status.Code(err) == codes.Aborted)
		switch {
		case len(units) > 1 && (lost || errors.Is(err, work.ErrTooMuch) || store.IsRejected(err)):
			half := len(units) / 2
			return errors.Join(writeAll(ctx, x, units[:half], write), writeAll(ctx, x, units[half:], write))
		case store.IsRejected(err):
			_, path := units[0].timeline()
			x.db.Options.Logger.WarnContext(ctx, "entry left out of a timeline: Firestore rejects the document", logging.Document, path, logging.Error, err)
			return nil
		case !lost:
			return err
		}
		reader, _ := units[0].timeline()
		if err := x.layout.Mend(ctx, x.db, reader); err != nil {
			return err
		}
		if units[0].asRead() {
			return errReplan
		}
		if err := work.Pause(ctx, try); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: %w", schema.ErrContention, err)
}

// recipient is a reader who gets entries.
type recipient struct{ id, path string }

func (r recipient) timeline() (reader, path string) { return r.id, r.path }

func (recipient) asRead() bool { return false }

// recipientsOf returns readers as units.
func (x *Delivery) recipientsOf(readers []string) []recipient {
	units := make([]recipient, len(readers))
	for n, r := range readers {
		units[n] = recipient{r, x.db.Timeline(r).Path}
	}
	return units
}

// listed is a document that a query found.
type listed struct{ *firestore.DocumentSnapshot }

func (l listed) timeline() (reader, path string) { return l.Ref.Parent.Parent.ID, l.Ref.Path }

func (listed) asRead() bool { return true }

// listedOf returns those of documents that are of timelines, as units.
func (x *Delivery) listedOf(docs []*firestore.DocumentSnapshot) (units []listed) {
	for _, doc := range docs {
		if layout.IsTimeline(x.db, doc.Ref) {
			units = append(units, listed{doc})
		}
	}
	return units
}

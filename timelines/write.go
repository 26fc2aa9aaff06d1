package timelines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/batch"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// batchSize is the most timelines that a transaction writes to, or the most documents that it edits.
const batchSize = 100

// unit is an item that a transaction writes: a reader, or a document of a timeline.
type unit interface {
	// timeline returns the reader of the timeline, and the document's path for the log.
	timeline() (reader, path string)
	// asRead reports whether the write relies on the document's listed state.
	asRead() bool
}

// errReplan is the error of a transaction whose plan no longer fits the documents that it has read with a
// lock: the post, the index document, the edge. The caller plans again.
var errReplan = fmt.Errorf("%w: what decides has changed", store.ErrStale)

// writing writes units by calling write in a transaction. wrote, unless nil, gets the units of each committed
// transaction.
type writing[U unit] struct {
	*Delivery
	write func(ctx context.Context, tx *firestore.Transaction, units []U) error
	wrote func(units []U)
	// most is how many bytes a transaction of several units reads; 0: any number.
	most int
}

// each writes batches of units concurrently, within the memory budget; each unit holds bytes. Batches that
// read timelines whole come last. It counts the batches that must be planned again.
func (x writing[U]) each(ctx context.Context, units []U, bytes int) (stale int, err error) {
	var mu sync.Mutex
	var large [][]U
	held := func(part []U) int { return len(part) * bytes }
	stale, err = work.EachHolding(ctx, x.graph.Pool, store.Chunks(units, batchSize), held, func(ctx context.Context, _ *batch.Share, part []U) error {
		err := x.all(ctx, part)
		if mu.Lock(); errors.Is(err, layout.ErrWhole) {
			large, err = append(large, part), nil
		}
		mu.Unlock()
		return err
	})
	bytes += x.layout.Held(true)
	again, failed := work.EachHolding(ctx, x.graph.Pool, large, held, func(ctx context.Context, _ *batch.Share, part []U) error {
		return x.all(layout.Whole(ctx), part)
	})
	return stale + again, errors.Join(err, failed)
}

// all writes units in a transaction. If another transaction wrote a document of one unit, or if the
// transaction is too large, all splits the units, and tries each part again. It leaves out and logs units that
// Firestore rejects for good.
//
// A crash between two parts leaves the rest to the event, or to the job's page.
func (x writing[U]) all(ctx context.Context, units []U) error {
	var err error
	for try := range work.MaxRounds {
		reading := readers.Only(posts.Only(x.graph.WithoutFollowers(ctx), x.db))
		if x.most > 0 && len(units) > 1 {
			reading, _ = wire.WithCeiling(reading, x.most)
		}
		err = x.db.Client.RunTransaction(reading, func(ctx context.Context, tx *firestore.Transaction) error {
			return x.write(ctx, tx, slices.Clone(units))
		})
		lost := err != nil && !errors.Is(err, store.ErrStale) && store.IsContention(err)
		switch {
		case err == nil:
			if x.wrote != nil {
				x.wrote(units)
			}
			return nil
		case len(units) > 1 && (lost || errors.Is(err, work.ErrTooMuch) || errors.Is(err, wire.ErrTooLarge) || store.IsRejected(err)):
			half := len(units) / 2
			return errors.Join(x.all(ctx, units[:half]), x.all(ctx, units[half:]))
		case store.IsRejected(err):
			_, path := units[0].timeline()
			x.db.Config.Logger.WarnContext(ctx, "entry left out of a timeline: Firestore rejects the document", logging.Document, path, logging.Error, err)
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

// without removes the matching entries from documents as they were listed. It reads the documents whole,
// within the memory budget, and corrects the accounts of each document. Each transaction calls matching; if
// the result is nil, it writes nothing. without counts the parts that must be listed again.
//
// It costs a read and a write for each document, and a write of open for the closed buckets of a transaction.
// A crash leaves the other documents to the caller's event or job.
func (x *Delivery) without(ctx context.Context, docs []*firestore.DocumentSnapshot, matching func(*firestore.Transaction) (func(layout.Entry) bool, error)) (stale int, err error) {
	bytes := func(l listed) int { return max(layout.BytesOf(l.Ref), schema.TransactionBytes/batchSize) }
	held := func(part []listed) (sum int) {
		for _, l := range part {
			sum += layout.BytesOf(l.Ref)
		}
		return sum
	}
	parts := work.SplitByBytes(x.listedOf(docs), bytes)
	return work.EachHolding(ctx, x.graph.Pool, parts, held, func(ctx context.Context, _ *batch.Share, part []listed) error {
		var refs []*firestore.DocumentRef
		for _, l := range part {
			refs = append(refs, l.Ref)
		}
		now, err := x.db.Client.GetAll(ctx, refs)
		if err != nil {
			return err
		}
		for n, doc := range now {
			if !doc.UpdateTime.Equal(part[n].UpdateTime) {
				return store.ErrStale
			}
		}
		return writing[listed]{Delivery: x, write: func(_ context.Context, tx *firestore.Transaction, part []listed) error {
			match, err := matching(tx)
			if err != nil || match == nil {
				return err
			}
			return x.change(tx, part, func(doc *layout.Document) layout.Edits {
				c := doc.Editing(func(e layout.Entry) (layout.Entry, bool) {
					return doc.Entries[e.Post], !match(e)
				})
				c.Mend = !slices.Equal(slices.Sorted(slices.Values(doc.Named)), layout.AccountsOf(doc.Entries))
				return c
			})
		}}.all(ctx, x.listedOf(now))
	})
}

// change writes the edits of documents that were read.
func (x *Delivery) change(tx *firestore.Transaction, docs []listed, edits func(*layout.Document) layout.Edits) error {
	var changes []layout.Changed
	for _, l := range docs {
		doc := layout.Read(l.DocumentSnapshot)
		if c := edits(&doc); !doc.Foreign() && !c.Empty() {
			changes = append(changes, layout.Changed{Document: doc, Edits: c})
		}
	}
	return layout.Change(x.db, tx, changes)
}

// recipient is a reader who gets entries.
type recipient struct{ id, path string }

func (r recipient) timeline() (reader, path string) { return r.id, r.path }

func (recipient) asRead() bool { return false }

// recipientsOf returns readers as units.
func (x *Delivery) recipientsOf(ids []string) []recipient {
	units := make([]recipient, len(ids))
	for n, r := range ids {
		units[n] = recipient{r, x.db.Timeline(r).Path}
	}
	return units
}

func idsOf(some []recipient) []string {
	ids := make([]string, len(some))
	for n, r := range some {
		ids[n] = r.id
	}
	return ids
}

// listed is a document that a query found.
type listed struct{ *firestore.DocumentSnapshot }

func (l listed) timeline() (reader, path string) { return l.Ref.Parent.Parent.ID, l.Ref.Path }

func (listed) asRead() bool { return true }

// listedOf returns the documents that belong to timelines, as units.
func (x *Delivery) listedOf(docs []*firestore.DocumentSnapshot) (units []listed) {
	for _, doc := range docs {
		if layout.IsTimeline(x.db, doc.Ref) {
			units = append(units, listed{doc})
		}
	}
	return units
}

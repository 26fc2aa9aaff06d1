package timelines

import (
	"context"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// Decided applies the reader's decisions in users/{r}/settings/feed to the reader's timeline. If hides is set,
// it removes entries that the reader hides. If shows is set, it brings posts that a fan-out has left out
// because their kind was hidden or the reader was idle: see [Delivery.pageRebuild]. A job does this, because
// it reads everything that the reader follows. Changes that come meanwhile share the job's next run.
//
// The event may come twice or late: each transaction reads the settings. Either the change sees the fan-out,
// or the fan-out sees the change. If the event never comes, a repair does its work. A crash leaves the work to
// the event or the job.
func (x *Delivery) Decided(ctx context.Context, reader string, hides, shows bool) error {
	if schema.CheckAccountID(reader) != nil {
		return nil
	}
	job := chunker.Job{Args: map[string]string{schema.ArgReader: reader}}
	var page chunker.Page
	var err error
	if hides {
		page, err = x.pageFilter(ctx, job, nil, x.db.Config.InlineLimit)
	}
	if err == nil && (shows || page.More) {
		spec := chunker.Spec{ID: schema.TimelineReaderJobID(reader), Kind: schema.KindTimelineReader, Owner: x.db.OwnerOf(reader), Args: job.Args}
		if !shows { // a rebuild would bring posts that were never there
			spec.ID, spec.Kind = schema.TimelineHideJobID(reader), schema.KindTimelineHide
		}
		err = x.enqueue(ctx, x.db.Decided(reader), false, spec)
	}
	if err != nil {
		return fmt.Errorf("timeline of %s: %w", x.db.User(reader).Path, err)
	}
	return nil
}

// Rebuild leaves to a job to bring a reader what other entries have pushed out: see [Delivery.pageRebuild]. The
// generation of the job is the state of the reader's block of an account. So if the event comes twice, one rebuild
// runs. It costs a read, and the cost of [chunker.Engine.Enqueue].
func (x *Delivery) Rebuild(ctx context.Context, reader, blocked string) error {
	return x.enqueue(ctx, x.db.Block(reader, blocked), false, chunker.Spec{
		ID: schema.TimelineReaderJobID(reader), Kind: schema.KindTimelineReader, Owner: x.db.OwnerOf(reader), Args: map[string]string{schema.ArgReader: reader},
	})
}

// Named brings a reader posts that name the reader, who has ended a block of their author. It costs the same as
// [Delivery.Bring] for each [backfillBatch] posts. Each transaction reads the block and the posts. You may call it
// again. While the brake is on, it brings none, and waits is true.
func (x *Delivery) Named(ctx context.Context, reader string, some []readers.Reached) (waits bool, err error) {
	all := func() ([]readers.Reached, error) { return slices.Clone(some), nil }
	page, err := x.bringAfter(ctx, reader, all, nil, len(some), true)
	if err != nil {
		err = fmt.Errorf("timeline of %s: %w", x.db.User(reader).Path, err)
	}
	return page.Waits, err
}

// pageFilter removes entries of kinds that the reader hides, in up to limit documents of the reader's timeline
// after the document after. It costs a read, and one for each document. Each document with such entries costs
// another read, and a write or a delete. Each transaction costs a read, and a write of open.
//
// Each transaction reads the settings. A crash leaves the rest to the event or the job.
func (x *Delivery) pageFilter(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	reader := job.Args[schema.ArgReader]
	atOnce := max(1, schema.TransactionBytes/x.layout.Held(true))
	for !page.More || page.Done < limit {
		some, err := x.filter(ctx, reader, after, min(atOnce, limit-page.Done))
		some.Done += page.Done
		if page, after = some, some.Last; err != nil || !page.More {
			return page, err
		}
	}
	return page, nil
}

func (x *Delivery) filter(ctx context.Context, reader string, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	err = work.UntilSettled(ctx, func() (int, error) {
		page = chunker.Page{}
		settings, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Decided(reader)})
		if err != nil {
			return 0, err
		}
		now := readers.Decode(settings[0])
		if len(now.Hide) == 0 {
			return 0, nil
		}
		share, err := x.graph.Pool.Memory.Take(ctx, limit*x.layout.Held(true)) // documents are listed with their entries
		if err != nil {
			return 0, err
		}
		docs, err := store.ListPage(ctx, x.db.Timeline(reader).Query, after, limit)
		page = bulk.PageOf(docs, limit)
		var with []*firestore.DocumentSnapshot
		for _, doc := range docs {
			if layout.Read(doc).Any(hiddenBy(now)) {
				with = append(with, &firestore.DocumentSnapshot{Ref: doc.Ref, UpdateTime: doc.UpdateTime})
			}
		}
		if share.Release(); err != nil {
			return 0, err
		}
		return x.without(ctx, with, func(tx *firestore.Transaction) (func(layout.Entry) bool, error) {
			decided, err := readers.In(tx, x.db, "", []string{reader})
			return hiddenBy(decided[reader].Settings), err
		})
	})
	return page, err
}

func hiddenBy(s readers.Settings) func(layout.Entry) bool {
	return func(e layout.Entry) bool { return s.Hides(e.Author, e.Kind) }
}

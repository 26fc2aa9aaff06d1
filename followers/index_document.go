package followers

import (
	"context"
	"strconv"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// EmptyChangeLog empties the change log of u's index document i, which names followers who have left. Call it when all
// relations are at index's version, so that none needs the log. Otherwise the id of a deleted account could stay in the
// logs of authors that it once followed. No query finds an id there.
//
// It costs a write for each sync after an unfollow. It leaves the log alone if the
// document has another version by now, because that change has its own sync. A crash
// before the write leaves the log. The event is redelivered.
func (x *Graph) EmptyChangeLog(ctx context.Context, u, i string, index schema.IndexDocument) error {
	return work.UntilSettled(ctx, func() (int, error) {
		if !index.MentionsLeavers() {
			return 0, nil
		}
		_, err := x.db.IndexDocuments(u).Doc(i).Update(ctx,
			[]firestore.Update{{Path: schema.FieldChanges, Value: []schema.Change{}}}, firestore.LastUpdateTime(index.Updated))
		if !store.IsStale(err) {
			return 0, err
		}
		now, err := x.ReadMeta(ctx, u, i)
		if err != nil || now == nil || now.Version != index.Version {
			return 0, err
		}
		index = *now // only Backfilled has changed
		return 1, nil
	})
}

// EmptyChangeLogs is EmptyChangeLog of several index documents, for deliveries that need no log at all. It costs a read
// for each. After a crash, the redelivered event empties the others.
func (x *Graph) EmptyChangeLogs(ctx context.Context, u string, indexes []string) error {
	for _, i := range indexes {
		index, err := x.ReadMeta(ctx, u, i)
		if err == nil && index != nil {
			err = x.EmptyChangeLog(ctx, u, i, *index)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// PageMending is a page of a job that mends a damaged index document, unless that would lose
// followers, and empties its change log. Without relations it has nothing else to do.
func (x *Graph) PageMending(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	u, i := job.Args[schema.ArgAuthor], job.Args[schema.ArgIndex]
	index, err := x.ReadMending(ctx, job)
	if err != nil || index == nil {
		return chunker.Page{Gone: err == nil}, err
	}
	return chunker.Page{}, x.EmptyChangeLog(ctx, u, i, *index)
}

// MarkBackfilled marks an index document as backfilled. index is the document as it was read before the backfill began.
// A newer document with the same id is not marked. A document rewritten since is not marked either: the backfill may
// have found it damaged and skipped it. Both need a backfill of their own. marked is also true if the document is gone.
//
// A crash before the write leaves the document unmarked: the event or job repeats the whole backfill.
func (x *Graph) MarkBackfilled(ctx context.Context, u, i string, index schema.IndexDocument) (marked bool, err error) {
	err = work.UntilSettled(ctx, func() (int, error) {
		_, err := x.db.IndexDocuments(u).Doc(i).Update(ctx,
			[]firestore.Update{{Path: schema.FieldBackfilled, Value: true}}, firestore.LastUpdateTime(index.Updated))
		if !store.IsStale(err) {
			marked = err == nil
			return 0, err
		}
		now, err := x.ReadMeta(ctx, u, i)
		if err != nil || now == nil || now.Life() != index.Life() {
			marked = err == nil && now == nil
			return 0, err
		}
		index = *now
		return 1, nil
	})
	return marked, err
}

// ReadMeta reads index document i of u without its followers; nil if there is none.
func (x *Graph) ReadMeta(ctx context.Context, u, i string) (*schema.IndexDocument, error) {
	docs, err := x.db.Client.GetAll(x.WithoutFollowers(ctx), []*firestore.DocumentRef{x.db.IndexDocuments(u).Doc(i)})
	if err != nil {
		return nil, err
	}
	if !docs[0].Exists() {
		return nil, nil //nolint:nilnil // a missing document is an answer, not an error
	}
	meta, err := schema.DecodeIndexDocument(docs[0])
	return &meta, err
}

// EnqueueIndex enqueues a job for index document i of u that covers its version. A
// restored document may have the same version again, so the generation has its creation
// time too.
func (x *Graph) EnqueueIndex(ctx context.Context, u, i string, index schema.IndexDocument) error {
	return x.enqueueIndexJob(ctx, u, i, schema.Generation(index.Created)+" "+strconv.FormatInt(index.Version, 10))
}

func (x *Graph) enqueueIndexJob(ctx context.Context, u, i, generation string) error {
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: schema.IndexJobID(u, i), Kind: schema.KindIndex,
		Args:       map[string]string{schema.ArgAuthor: u, schema.ArgIndex: i},
		Owner:      x.db.OwnerOf(u),
		Generation: generation,
	})
}

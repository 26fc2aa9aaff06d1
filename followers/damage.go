package followers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// MendSoon enqueues the jobs that mend the index documents in err. A repeated call for
// the same damage changes nothing. It returns err, joined with errors of enqueueing.
func (x *Graph) MendSoon(ctx context.Context, err error) error {
	errs := []error{err}
	for _, d := range schema.DamagedIndexes(err) {
		errs = append(errs, x.EnqueueMending(ctx, d))
	}
	return errors.Join(errs...)
}

// damageOf returns the generation of the job that mends an index document.
func damageOf(d *schema.DamagedIndex) string { return schema.Damage + schema.Generation(d.Updated) }

// EnqueueMending enqueues the job that mends an index document. A repeated call for the same
// damage changes nothing.
func (x *Graph) EnqueueMending(ctx context.Context, d *schema.DamagedIndex) error {
	return x.enqueueIndexJob(ctx, d.Author, d.Index, damageOf(d))
}

// PastDamage stores a job for each damage in err, and returns the other errors; nil if there are
// none. The event is then acknowledged, so that it is not retried for a day. Handlers and jobs
// share this policy.
//
//   - For a damaged index document, the job mends the document and then copies all its relations.
//   - For another damaged document, or a post with relations that Firestore rejects, the job is stored as failed, until
//     a repair deletes the job. The first call to meet the damage logs it.
//
// PastDamage costs a read for each index document, and a write for each other document. If the job already exists, the
// write fails, and is not billed.
//
// After a crash before a job is stored, the event or the page runs again, and meets the damage again.
func (x *Graph) PastDamage(ctx context.Context, err error) error {
	var rest []error
	seen := map[string]bool{} // ids of jobs
	for _, one := range schema.Each(err) {
		if index, ok := errors.AsType[*schema.DamagedIndex](one); ok {
			if id := schema.IndexJobID(index.Author, index.Index); !seen[id] {
				seen[id], rest = true, append(rest, x.EnqueueMending(ctx, index))
			}
			continue
		}
		document, author := "", ""
		if damaged, ok := errors.AsType[*schema.Damaged](one); ok && damaged.Author != "" {
			document, author = damaged.Path, damaged.Author
		} else if rejected, of, ok := work.RejectedAs(one); ok {
			document, author = postOf(rejected), of
		} else {
			rest = append(rest, one)
			continue
		}
		if id := schema.DamageJobID(author, document); !seen[id] {
			seen[id], rest = true, append(rest, x.engine.EnqueueFailed(ctx, chunker.Spec{
				ID: id, Kind: schema.KindDamage, Owner: x.db.OwnerOf(author), Args: map[string]string{schema.ArgAuthor: author},
			}, one))
		}
	}
	if len(seen) == 0 {
		return err
	}
	return errors.Join(rest...)
}

// postOf returns the path of a relation without its index document: so the rejected relations of one post are reported
// once.
func postOf(relation *firestore.DocumentRef) string {
	return relation.Path[:max(0, strings.LastIndexByte(relation.Path, '_'))]
}

// Damage returns the task of jobs that have failed because of a damaged document. A retry does not mend the document.
func Damage() chunker.Task {
	return chunker.Task{Kind: schema.KindDamage, Phases: []chunker.Phase{{
		Name: "damage",
		Page: func(context.Context, chunker.Job, *firestore.DocumentRef, int) (chunker.Page, error) {
			return chunker.Page{}, chunker.Permanent(errors.New("only a repair mends this, and deletes the job: run relationindex repair --damaged"))
		},
	}}}
}

// PastMending is PastDamage for work that does not come again when an index document is mended. It returns err until
// each index document's job has mended the document, or failed. If a job has failed, PastMending adds the follower
// named by leaves ("": nobody) to the job. In the job's next run, or in a repair, that follower leaves the document.
//
// A late or second call finds that the job already names the follower, and changes nothing.
func (x *Graph) PastMending(ctx context.Context, leaves string, err error) error {
	for _, d := range schema.DamagedIndexes(err) {
		noted, failed := x.engine.Note(ctx, schema.IndexJobID(d.Author, d.Index), damageOf(d), schema.ArgLeaving, leaves)
		if failed != nil || !noted {
			return x.MendSoon(ctx, errors.Join(err, failed))
		}
	}
	return x.PastDamage(ctx, err)
}

// pastDamagedFollow is PastMending for a follower whose members transaction wrote nothing.
//
// A follower whose account was purged is not added to the job, and has no edge afterwards: a repair finds their place in
// the index document without a follow. The tombstone is read after the follower was added to the job. If the tombstone
// is written later, the purge's own call, for the edge, removes the follower from the job.
//
// pastDamagedFollow costs three reads more than PastMending; for a purged follower, five more, and two deletes.
//
// A crash leaves the edge, and the caller's event or page, which comes again.
func (x *Graph) pastDamagedFollow(ctx context.Context, u, f string, err error) error {
	if left := x.PastMending(ctx, f, err); left != nil {
		return left
	}
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		docs, failed := tx.GetAll(x.FollowRefs(u, []string{f})) // these locks keep documents of a later life from being deleted
		if failed != nil {
			return failed
		}
		purged, failed := x.PurgesOf(ctx, tx, []string{f})
		if failed != nil || !purged[f] {
			return failed
		}
		for _, d := range schema.DamagedIndexes(err) {
			if failed := x.engine.Unnote(ctx, schema.IndexJobID(d.Author, d.Index), schema.ArgLeaving, f); failed != nil {
				return failed
			}
		}
		return errors.Join(tx.Delete(docs[0].Ref), tx.Delete(docs[1].Ref))
	})
}

// ReadMending is ReadMeta for the job of an index document. It reads the document whole. If the document is damaged,
// ReadMending mends it first, unless that would lose followers. Then the followers who were waiting to leave the
// document leave it.
func (x *Graph) ReadMending(ctx context.Context, job chunker.Job) (*schema.IndexDocument, error) {
	u, i := job.Args[schema.ArgAuthor], job.Args[schema.ArgIndex]
	index, err := x.readMending(ctx, u, i)
	if err != nil || index == nil || job.LastDoc != nil {
		return index, err
	}
	leaving := job.Noted(schema.ArgLeaving)
	for _, f := range leaving {
		if err := x.Follow(ctx, u, f); err != nil {
			return nil, err
		}
	}
	if len(leaving) == 0 {
		return index, nil
	}
	return x.ReadMeta(ctx, u, i)
}

func (x *Graph) readMending(ctx context.Context, u, i string) (*schema.IndexDocument, error) {
	index, err := x.readChecked(ctx, u, i)
	d, ok := errors.AsType[*schema.DamagedIndex](err)
	if !ok {
		return index, err
	}
	// A crash after this leaves a document that is not backfilled. The job, or the next
	// event, continues from there.
	if _, err := x.MendIndexDocument(ctx, u, i, losesNobody); schema.OnlyDamaged(err) {
		return nil, chunker.Permanent(errors.New(err.Error())) // the job fails, and so reports the damage
	} else if err != nil {
		return nil, err
	}
	x.db.Config.Logger.ErrorContext(ctx, "index document damaged; mended", logging.Document, d.Path, logging.Damage, d.Cause)
	return x.ReadMeta(ctx, u, i)
}

// readChecked is ReadMeta that also checks the array. It returns ErrDamaged if the
// count or size is wrong.
func (x *Graph) readChecked(ctx context.Context, u, i string) (*schema.IndexDocument, error) {
	share, err := x.Pool.Memory.Take(ctx, x.db.Config.FullBytes())
	if err != nil {
		return nil, err
	}
	defer share.Release()
	docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.IndexDocuments(u).Doc(i)})
	if err != nil {
		return nil, err
	}
	if !docs[0].Exists() {
		return nil, nil //nolint:nilnil // a missing document is an answer, not an error
	}
	index, err := schema.DecodeIndexDocument(docs[0])
	if err == nil {
		err = Miscounted(docs[0], index)
	}
	index.Followers = nil
	return &index, err
}

// Miscounted returns ErrDamaged if the count or size of an index document, read whole, is wrong. If the count were too
// low, followers would be added until the document exceeds the size that its relations can hold.
func Miscounted(doc *firestore.DocumentSnapshot, index schema.IndexDocument) error {
	if index.Count == len(index.Followers) && index.SizeBytes == schema.IDsBytes(index.Followers) {
		return nil
	}
	return schema.NewDamagedIndex(doc, fmt.Errorf("count is %d and sizeBytes %d, but it holds %d followers", index.Count, index.SizeBytes, len(index.Followers)))
}

// MendOnTheWay leaves miscounted index documents to their jobs. If it fails, there is no harm: the next reader of the
// document does the same.
func (x *Graph) MendOnTheWay(ctx context.Context, found []error) {
	for _, d := range schema.DamagedIndexes(errors.Join(found...)) {
		if err := x.EnqueueMending(ctx, d); err != nil {
			x.db.Config.Logger.WarnContext(ctx, "index document's repair job not enqueued; the next reader enqueues it", logging.Document, d.Path, logging.Error, err)
		}
	}
}

// losesNobody returns ErrDamaged if the followers of an index document are not an array
// of strings.
func losesNobody(doc *firestore.DocumentSnapshot) error {
	value, err := doc.DataAt(schema.FieldFollowers)
	values, ok := value.([]any)
	if err != nil || !ok || slices.ContainsFunc(values, func(v any) bool { _, ok := v.(string); return !ok }) {
		return schema.NewDamagedIndex(doc, errors.New("its followers cannot be read: run relationindex repair --damaged"))
	}
	return nil
}

package relations

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/logging"
)

// A relation that Firestore will never take is written bare: of its post it
// copies createdAt alone. What relations copy is bounded, so that a full one has
// room for it. It has none where an earlier release copied more, or where the
// database has indexes that our index file does not name.
//
// A bare relation is found by the feed as any other, and holds up no follow.
// The post's next event tries the copies again, as does repair, whose round
// ends all the same. Verify names a bare relation, unless the post's fields
// are beyond the bounds: then no relation of the post has copies.

// One that is refused bare too is damage, which keeps no other relation from being
// written: the event comes again; the job, and repair, go past it and try it again at
// their end.

// refusedRelation is the error of a relation that Firestore refuses however it is
// written. It is ErrDamaged, and has no status: another configuration of indexes may help.
type refusedRelation struct {
	path  string
	cause error
}

func (r *refusedRelation) Error() string {
	return fmt.Sprintf("%s: %v: Firestore refuses it: %v", r.path, ErrDamaged, r.cause)
}
func (r *refusedRelation) Unwrap() error { return ErrDamaged }

// refusedAlone is err of a write of relation alone, as a refusedRelation if it is refused.
func refusedAlone(relation *firestore.DocumentRef, err error) error {
	if isRefused(err) {
		return &refusedRelation{relation.Path, err}
	}
	return err
}

// refusedIn counts the relations that err says are refused.
func refusedIn(err error) (n int64) {
	if several, ok := errors.AsType[joined](err); ok {
		for _, err := range several.Unwrap() {
			n += refusedIn(err)
		}
	} else if _, ok := errors.AsType[*refusedRelation](err); ok {
		n++
	}
	return n
}

// onlyRefused reports that err is of relations that are refused, and of nothing else.
func onlyRefused(err error) bool {
	return onlyOf(err, func(err error) bool { _, ok := errors.AsType[*refusedRelation](err); return ok })
}

// What a job counts, of which Firestore refuses relations.
const (
	countRefused     = "refused"     // relations that it went past
	countSecondRound = "secondRound" // 1: it walks again, to try them again
)

// inSecondRound reports that all that can be done has been, in the first round of a
// walk: what is left are relations that Firestore refuses.
func inSecondRound(job chunker.Job) bool { return job.Counts[countSecondRound] > 0 }

// pastDamage is a page of a walk that goes past damaged documents: err is what the
// page failed at. Where there were relations that Firestore refuses, the walk has a
// second round, which fails with them, after all others are done.
func (x *Index) pastDamage(ctx context.Context, job chunker.Job, page chunker.Page, err error) (chunker.Page, error) {
	refused := refusedIn(err)
	second := inSecondRound(job)
	if second && refused > 0 {
		return page, x.mendSoon(ctx, err)
	}
	if err != nil {
		err = x.goPast(ctx, err)
	}
	switch {
	case second:
		page.Done, page.Total = 0, nil // the first has counted them
	case refused > 0 || job.Counts[countRefused] > 0:
		page.Counts = map[string]int64{countRefused: refused}
		if !page.More {
			page.More, page.Last, page.Counts[countSecondRound] = true, nil, 1
		}
	}
	return page, err
}

// isRefused reports whether Firestore will never take a request, however often
// it is sent.
func isRefused(err error) bool { return status.Code(err) == codes.InvalidArgument }

// bared are the updates that take the copies out of a relation; none if there are none.
func (x *Index) bared(ctx context.Context, relation *firestore.DocumentRef) ([]firestore.Update, error) {
	doc, err := relation.Get(ctx)
	if err != nil {
		return nil, err
	}
	// A field that cannot be decoded was not copied: copiedFields leaves it out.
	fields, _ := allFields(doc)
	var updates []firestore.Update
	for name := range fields {
		if !reservedFields[name] {
			updates = append(updates, firestore.Update{FieldPath: firestore.FieldPath{name}, Value: firestore.Delete})
		}
	}
	return updates, nil
}

// copyBare is copyRelations of post p and index document i of u, which Firestore
// refused: without the copies.
//
// A crash before the commit leaves what was there; the event, or the job's page,
// comes again.
func (x *Index) copyBare(ctx context.Context, u, p, i string, refused error) error {
	held, err := x.flight.take(ctx, 2*x.opts.fullBytes()) // as it was read, and as it is sent
	if err != nil {
		return err
	}
	defer held.release()
	x.tellBare(ctx, x.relation(p, i), refused)
	err = x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		snaps, err := tx.GetAll([]*firestore.DocumentRef{x.post(p), x.indexDocuments(u).Doc(i)})
		if err != nil {
			return err
		}
		states := x.statesOf(u, snaps[:1])
		if len(states) == 0 || !snaps[1].Exists() {
			return errStale
		}
		index, err := decodeMeta(snaps[1])
		if err != nil {
			return err
		}
		post := states[0]
		post.fields = map[string]any{fieldCreatedAt: post.fields[fieldCreatedAt]}
		return tx.Set(x.relation(p, i), relationData(post, index))
	})
	return refusedAlone(x.relation(p, i), err)
}

func (x *Index) tellBare(ctx context.Context, relation *firestore.DocumentRef, refused error) {
	x.opts.Logger.WarnContext(ctx, "relation refused with its copied fields, to be written without them",
		logging.Document, relation.Path, logging.Error, refused)
}

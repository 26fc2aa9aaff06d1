package relations

import (
	"context"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/logging"
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
	return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
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
}

func (x *Index) tellBare(ctx context.Context, relation *firestore.DocumentRef, refused error) {
	x.opts.Logger.WarnContext(ctx, "relation refused with its copied fields, to be written without them",
		logging.Document, relation.Path, logging.Error, refused)
}

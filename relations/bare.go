package relations

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/batch"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// A relation that Firestore permanently rejects is written bare: it copies only createdAt from its post. The copied
// fields are bounded so that a full relation has room for them. There may be no room if the configuration copied more
// before, or if the database has indexes that our index file does not name.
//
// The feed finds a bare relation like any other, and follows proceed. The post's next
// event retries the copies. So does repair, which still ends. Verify reports a bare
// relation, unless the post's fields exceed the bounds. In that case, no relation of
// the post has copies.

// If Firestore rejects the bare relation too, the relation is reported, and the other work continues: see
// [followers.Graph.PastDamage]. Repair writes the relation once Firestore accepts it.

// bared returns the updates that delete the copied fields of a relation; none if the
// relation has no copies.
func (x *Delivery) bared(ctx context.Context, relation *firestore.DocumentRef) ([]firestore.Update, error) {
	doc, err := relation.Get(ctx)
	if err != nil {
		return nil, err
	}
	// A field that cannot be decoded was not copied: posts.Decode skips it.
	fields, _ := schema.AllFields(doc)
	var updates []firestore.Update
	for name := range fields {
		if !names.RelationField(name) {
			updates = append(updates, firestore.Update{FieldPath: firestore.FieldPath{name}, Value: firestore.Delete})
		}
	}
	return updates, nil
}

// copyBare is copyRelations of post p and index document i of a without the copied
// fields, after Firestore rejected it with them. It resizes the share.
//
// A crash before the commit leaves the old state. The event is redelivered, or the
// job's page runs again.
func (x *Delivery) copyBare(ctx context.Context, share *batch.Share, a, p, i string, rejected error) error {
	if err := share.Resize(ctx, 2*x.db.Config.FullBytes()); err != nil { // one array as read, and one as sent
		return err
	}
	x.logBare(ctx, x.db.Relation(p, i), rejected)
	err := x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		horizon, err := x.db.Horizons.Read(ctx)
		if err != nil {
			return err
		}
		snaps, err := tx.GetAll([]*firestore.DocumentRef{x.db.Post(p), x.db.IndexDocuments(a).Doc(i)})
		if err != nil {
			return err
		}
		states := posts.DecodeFor(x.db.Config, a, snaps[:1])
		if len(states) == 0 || !snaps[1].Exists() {
			return store.ErrStale
		}
		index, err := schema.DecodeIndexDocument(snaps[1])
		if err != nil {
			return err
		}
		return tx.Set(x.db.Relation(p, i), plan.Data(states[0].Bare(), index, horizon))
	})
	return work.Rejected(x.db.Relation(p, i), a, err)
}

func (x *Delivery) logBare(ctx context.Context, relation *firestore.DocumentRef, rejected error) {
	x.db.Config.Logger.WarnContext(ctx, "relation rejected with its copied fields; written without them",
		logging.Document, relation.Path, logging.Error, rejected)
}

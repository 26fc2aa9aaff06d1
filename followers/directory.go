package followers

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// Directory is the list of an author's index documents, from users/{u}.
type Directory struct {
	IDs []string // in order, "00001" first
	// Current is the id of the current index document; "" if there are no index documents.
	Current string
	// Damage describes the error in the two fields; "" if there is none. A user document without both fields is not
	// damaged: nobody has followed yet, or the document was deleted and created again.
	Damage string

	mended string // the error in the user document, which is to be written
	// version is the time of the read, in milliseconds. The versions of an index
	// document opened now come after it.
	version int64
}

// ReadDirectory decodes the directory in a user document. The fields must name the
// documents 1 to n, and one of them as current. Index documents are opened in this
// order, and closed from the end.
func ReadDirectory(user *firestore.DocumentSnapshot) Directory {
	dir := Directory{version: max(0, user.ReadTime.UnixMilli())}
	data := schema.FieldsOf(user, schema.FieldFollowersIndex, schema.FieldLatestIndex)
	list, hasList := data[schema.FieldFollowersIndex]
	latest, hasCurrent := data[schema.FieldLatestIndex]
	if !hasList && !hasCurrent {
		return dir
	}
	values, ok := list.([]any)
	if !ok {
		dir.Damage = schema.FieldFollowersIndex + " is not an array"
		return dir
	}
	ids := make([]string, len(values))
	for n, v := range values {
		ids[n], _ = v.(string)
		if ids[n] != schema.IndexID(n+1) {
			dir.Damage = fmt.Sprintf("%s[%d] is not %q", schema.FieldFollowersIndex, n, schema.IndexID(n+1))
			return dir
		}
	}
	current, _ := latest.(string)
	if !slices.Contains(ids, current) {
		dir.Damage = fmt.Sprintf("%s is not one of %s", schema.FieldLatestIndex, schema.FieldFollowersIndex)
		return dir
	}
	dir.IDs, dir.Current = ids, current
	return dir
}

// IndexIDs returns the ids of u's index documents, in order.
//
// It costs a read for the user document. Another read checks that the next index document does not exist: a server may
// have restored an older user document. If the user document does not name all index documents, IndexIDs lists them: a
// read for each, and at least one. It repairs a wrong user document.
func (x *Graph) IndexIDs(ctx context.Context, u string) ([]string, error) {
	return x.directoryNow(ctx, u, func(dir Directory) (bool, error) {
		if len(dir.IDs) == 0 {
			return true, nil
		}
		next := x.db.IndexDocuments(u).Doc(schema.IndexID(len(dir.IDs) + 1))
		docs, err := x.db.Client.GetAll(x.WithoutFollowers(ctx), []*firestore.DocumentRef{next})
		return err == nil && docs[0].Exists(), err
	})
}

// RepairDirectory makes the user document name the index documents that exist, and
// returns their ids. If it already does, RepairDirectory writes nothing.
func (x *Graph) RepairDirectory(ctx context.Context, u string) ([]string, error) {
	return x.directoryNow(ctx, u, func(Directory) (bool, error) { return true, nil })
}

// directoryNow reads u's directory. It repairs the directory if that is damaged. It also repairs the directory if
// suspect returns true and the index documents contradict the directory.
//
// A crash before the write leaves the user document as it was. The next reader that
// needs the list repairs it.
func (x *Graph) directoryNow(ctx context.Context, u string, suspect func(Directory) (bool, error)) (ids []string, err error) {
	err = work.UntilSettled(ctx, func() (int, error) {
		snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(u)})
		if err != nil {
			return 0, err
		}
		list, err := suspect(ReadDirectory(snaps[0]))
		if err != nil {
			return 0, err
		}
		dir, repair, err := x.directoryOf(ctx, u, snaps[0], list)
		if ids = dir.IDs; err != nil || !repair {
			return 0, err
		}
		err = x.db.Client.RunTransaction(x.WithoutFollowers(ctx), func(_ context.Context, tx *firestore.Transaction) error {
			if err := x.stillThere(tx, u, dir.IDs); err != nil {
				return err
			}
			return x.NameIndexes(tx, snaps[0], dir)
		})
		if store.IsStale(err) {
			return 1, nil // list them again: the first index document may have come meanwhile
		}
		if err == nil {
			x.reportDamage(ctx, u, dir)
		}
		return 0, err
	})
	if err != nil {
		return nil, fmt.Errorf("index documents of %s: %w", x.db.User(u).Path, err)
	}
	return ids, nil
}

// ListQuery finds the existing index documents, by name only.
func (x *Graph) ListQuery(u string) firestore.Query {
	return x.db.IndexDocuments(u).OrderBy(firestore.DocumentID, firestore.Asc).Select()
}

// listIndexIDs returns the ids of the existing index documents. It costs a read for
// each, and at least one.
//
// Do not call it in a transaction. A query in a transaction locks every document that
// it reads, and every batch of the author needs these.
func (x *Graph) listIndexIDs(ctx context.Context, u string) ([]string, error) {
	docs, err := x.ListQuery(u).Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, doc := range docs {
		if doc.Ref.ID != schema.IndexID(len(ids)+1) {
			return nil, &schema.Damaged{Path: doc.Ref.Path, Author: u, Updated: doc.UpdateTime,
				Cause: fmt.Errorf("index document %q is missing, or this document is not an index document", schema.IndexID(len(ids)+1))}
		}
		ids = append(ids, doc.Ref.ID)
	}
	return ids, nil
}

// directoryOf returns u's list of index documents. If the user document is sound and list is false, the list comes from
// that. Otherwise it comes from the index documents; if the user document differs, the last index document becomes
// current. repair then reports that the user document must be written.
//
// The user document is read before the index documents are listed, and is written only
// if unchanged. Every transaction that opens or closes an index document writes it too.
// So an outdated list is never written.
func (x *Graph) directoryOf(ctx context.Context, u string, user *firestore.DocumentSnapshot, list bool) (dir Directory, repair bool, err error) {
	dir = ReadDirectory(user)
	if !list && dir.Damage == "" {
		return dir, false, nil
	}
	ids, err := x.listIndexIDs(ctx, u)
	if err != nil {
		return Directory{}, false, err
	}
	if slices.Equal(ids, dir.IDs) && dir.Damage == "" {
		return dir, false, nil
	}
	dir = Directory{IDs: ids, version: dir.version, mended: cmp.Or(dir.Damage, "the user document does not list its index documents")}
	if len(ids) > 0 {
		dir.Current = ids[len(ids)-1]
	}
	return dir, true, nil
}

// stillThere returns ErrStale if the last of the listed index documents is gone. A
// purge may have run since the list was read. It deletes index documents from the last
// to the first. A missing user document does not reveal the purge, because it may have
// been missing before.
func (x *Graph) stillThere(tx *firestore.Transaction, u string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	last, err := store.GetMaybe(tx, x.db.IndexDocuments(u).Doc(ids[len(ids)-1]))
	if err == nil && !last.Exists() {
		err = store.ErrStale
	}
	return err
}

// NameIndexes writes dir to the user document, on condition that the document is as it
// was read.
func (x *Graph) NameIndexes(tx *firestore.Transaction, user *firestore.DocumentSnapshot, dir Directory) error {
	switch {
	case user.Exists():
		current, list := any(firestore.Delete), any(firestore.Delete)
		if len(dir.IDs) > 0 {
			current, list = dir.Current, dir.IDs
		}
		return tx.Update(user.Ref, []firestore.Update{
			{Path: schema.FieldFollowersIndex, Value: list}, {Path: schema.FieldLatestIndex, Value: current},
		}, firestore.LastUpdateTime(user.UpdateTime))
	case len(dir.IDs) > 0:
		return tx.Create(user.Ref, map[string]any{schema.FieldFollowersIndex: dir.IDs, schema.FieldLatestIndex: dir.Current})
	default:
		return nil
	}
}

func (x *Graph) reportDamage(ctx context.Context, u string, dir Directory) {
	x.db.Config.Logger.ErrorContext(ctx, "user document damaged; repaired from its index documents",
		logging.Document, x.db.User(u).Path, logging.Damage, dir.mended)
}

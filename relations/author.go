package relations

import (
	"context"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/logging"
)

// directory is the list of an author's index documents, from users/{u}.
type directory struct {
	ids []string // in order, "00001" first
	// current is the id of the current index document; "" if there are no index
	// documents.
	current string
	// damage says what is wrong with the two fields; "" if nothing is. A user document
	// without both fields is not damaged: nobody has followed yet, or the document was
	// deleted and created again.
	damage string
	// version is the time of the read, in milliseconds. The versions of an index
	// document opened now come after it.
	version int64
}

// readDirectory decodes the directory in a user document. The fields must name the
// documents 1 to n, and one of them as current. Index documents are opened in this
// order, and closed from the end.
func readDirectory(user *firestore.DocumentSnapshot) directory {
	dir := directory{version: max(0, user.ReadTime.UnixMilli())}
	data := fieldsOf(user, fieldFollowersIndex, fieldLatestIndex)
	list, hasList := data[fieldFollowersIndex]
	latest, hasCurrent := data[fieldLatestIndex]
	if !hasList && !hasCurrent {
		return dir
	}
	values, ok := list.([]any)
	if !ok {
		dir.damage = fieldFollowersIndex + " is not an array"
		return dir
	}
	ids := make([]string, len(values))
	for n, v := range values {
		ids[n], _ = v.(string)
		if ids[n] != indexID(n+1) {
			dir.damage = fmt.Sprintf("%s[%d] is not %q", fieldFollowersIndex, n, indexID(n+1))
			return dir
		}
	}
	current, _ := latest.(string)
	if !slices.Contains(ids, current) {
		dir.damage = fmt.Sprintf("%s is not one of %s", fieldLatestIndex, fieldFollowersIndex)
		return dir
	}
	dir.ids, dir.current = ids, current
	return dir
}

// indexIDs returns the ids of u's index documents, in order.
//
// It costs a read for the user document. Another read checks that the next index
// document does not exist: a server may have restored an older user document. If the
// user document names none, or not all, indexIDs lists the index documents: a read for
// each, and at least one. It repairs a wrong user document.
func (x *Index) indexIDs(ctx context.Context, u string) ([]string, error) {
	return x.directoryNow(ctx, u, func(dir directory) (bool, error) {
		if len(dir.ids) == 0 {
			return true, nil
		}
		next := x.indexDocuments(u).Doc(indexID(len(dir.ids) + 1))
		docs, err := x.client.GetAll(x.withoutFollowers(ctx), []*firestore.DocumentRef{next})
		return err == nil && docs[0].Exists(), err
	})
}

// repairDirectory makes the user document name the index documents that exist, and
// returns their ids. If it already does, repairDirectory writes nothing.
func (x *Index) repairDirectory(ctx context.Context, u string) ([]string, error) {
	return x.directoryNow(ctx, u, func(directory) (bool, error) { return true, nil })
}

// directoryNow reads u's directory. It repairs a directory that is damaged, or that
// suspect doubts and the index documents contradict.
//
// A crash before the write leaves the user document as it was. The next reader that
// needs the list repairs it.
func (x *Index) directoryNow(ctx context.Context, u string, suspect func(directory) (bool, error)) (ids []string, err error) {
	err = untilSettled(ctx, func() (int, error) {
		snaps, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.user(u)})
		if err != nil {
			return 0, err
		}
		list, err := suspect(readDirectory(snaps[0]))
		if err != nil {
			return 0, err
		}
		dir, repair, err := x.directoryOf(ctx, u, snaps[0], list)
		if ids = dir.ids; err != nil || !repair {
			return 0, err
		}
		err = x.client.RunTransaction(x.withoutFollowers(ctx), func(_ context.Context, tx *firestore.Transaction) error {
			if err := x.stillThere(tx, u, dir.ids); err != nil {
				return err
			}
			return x.nameIndexes(tx, snaps[0], dir)
		})
		if isStale(err) {
			return 1, nil // list them again
		}
		return 0, err
	})
	if err != nil {
		return nil, fmt.Errorf("index documents of %s: %w", x.user(u).Path, err)
	}
	return ids, nil
}

// listQuery finds the existing index documents, by name only.
func (x *Index) listQuery(u string) firestore.Query {
	return x.indexDocuments(u).OrderBy(firestore.DocumentID, firestore.Asc).Select()
}

// listIndexIDs returns the ids of the existing index documents. It costs a read for
// each, and at least one.
//
// Do not call it in a transaction. A query in a transaction locks every document that
// it reads, and every batch of the author needs these.
func (x *Index) listIndexIDs(ctx context.Context, u string) ([]string, error) {
	docs, err := x.listQuery(u).Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, doc := range docs {
		if doc.Ref.ID != indexID(len(ids)+1) {
			return nil, damagedDocument(doc.Ref.Path, "index document %q is missing or this one is not ours", indexID(len(ids)+1))
		}
		ids = append(ids, doc.Ref.ID)
	}
	return ids, nil
}

// directoryOf returns u's list of index documents. It comes from the user document if
// that is sound and list is false. Otherwise it comes from the index documents; if the
// user document differs, the last index document becomes current. repair then says that
// the user document must be written.
//
// The user document is read before the index documents are listed, and is written only
// if unchanged. Every transaction that opens or closes an index document writes it too.
// So an outdated list is never written.
func (x *Index) directoryOf(ctx context.Context, u string, user *firestore.DocumentSnapshot, list bool) (dir directory, repair bool, err error) {
	dir = readDirectory(user)
	if !list && dir.damage == "" {
		return dir, false, nil
	}
	ids, err := x.listIndexIDs(ctx, u)
	if err != nil {
		return directory{}, false, err
	}
	if slices.Equal(ids, dir.ids) && dir.damage == "" {
		return dir, false, nil
	}
	x.reportDamage(ctx, u, dir)
	dir = directory{ids: ids, version: dir.version}
	if len(ids) > 0 {
		dir.current = ids[len(ids)-1]
	}
	return dir, true, nil
}

// stillThere returns errStale if the last of the listed index documents is gone. A
// purge may have run since the list was read. It deletes index documents from the last
// to the first. A missing user document does not reveal the purge, because it may have
// been missing before.
func (x *Index) stillThere(tx *firestore.Transaction, u string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	last, err := getMaybe(tx, x.indexDocuments(u).Doc(ids[len(ids)-1]))
	if err == nil && !last.Exists() {
		err = errStale
	}
	return err
}

// nameIndexes writes dir to the user document, on condition that the document is as it
// was read.
func (x *Index) nameIndexes(tx *firestore.Transaction, user *firestore.DocumentSnapshot, dir directory) error {
	switch {
	case user.Exists():
		current, list := any(firestore.Delete), any(firestore.Delete)
		if len(dir.ids) > 0 {
			current, list = dir.current, dir.ids
		}
		return tx.Update(user.Ref, []firestore.Update{
			{Path: fieldFollowersIndex, Value: list}, {Path: fieldLatestIndex, Value: current},
		}, firestore.LastUpdateTime(user.UpdateTime))
	case len(dir.ids) > 0:
		return tx.Create(user.Ref, map[string]any{fieldFollowersIndex: dir.ids, fieldLatestIndex: dir.current})
	default:
		return nil
	}
}

func (x *Index) reportDamage(ctx context.Context, u string, dir directory) {
	what := dir.damage
	if what == "" {
		what = "the user document does not name the index documents that are there"
	}
	x.opts.Logger.ErrorContext(ctx, "user document damaged; repaired from its index documents",
		logging.Document, x.user(u).Path, logging.Damage, what)
}

// getMaybe reads a document that may not exist, in a transaction.
func getMaybe(tx *firestore.Transaction, ref *firestore.DocumentRef) (*firestore.DocumentSnapshot, error) {
	snaps, err := tx.GetAll([]*firestore.DocumentRef{ref})
	if err != nil {
		return nil, err
	}
	return snaps[0], nil
}

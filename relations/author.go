package relations

import (
	"context"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/logging"
)

// directory is what users/{u} says of the author's index documents.
type directory struct {
	ids []string // in order, "00001" first
	// damage says what is wrong with the two fields; "" when nothing is. A
	// user document without both fields is not damaged: nobody followed yet,
	// or it was deleted and made again.
	damage string
}

// readDirectory checks that the fields name the documents 1 to n, n the
// latest. Index documents are opened in this order and never closed one by one.
func readDirectory(user *firestore.DocumentSnapshot) directory {
	if !user.Exists() {
		return directory{}
	}
	data := user.Data()
	list, hasList := data[fieldFollowersIndex]
	latest, hasLatest := data[fieldLatestIndex]
	if !hasList && !hasLatest {
		return directory{}
	}
	values, ok := list.([]any)
	if !ok {
		return directory{damage: fieldFollowersIndex + " is not an array"}
	}
	ids := make([]string, len(values))
	for n, v := range values {
		ids[n], _ = v.(string)
		if ids[n] != indexID(n+1) {
			return directory{damage: fmt.Sprintf("%s[%d] is not %q", fieldFollowersIndex, n, indexID(n+1))}
		}
	}
	if last, _ := latest.(string); len(ids) == 0 || last != ids[len(ids)-1] {
		return directory{damage: fmt.Sprintf("%s is not the last of %s", fieldLatestIndex, fieldFollowersIndex)}
	}
	return directory{ids: ids}
}

// indexIDs are the ids of u's index documents, in order. It costs one read;
// where the user document does not name them, one for each of them (at least
// one) in addition, and the user document is repaired.
func (x *Index) indexIDs(ctx context.Context, u string) ([]string, error) {
	snaps, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.user(u)})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", x.user(u).Path, err)
	}
	dir := readDirectory(snaps[0])
	if len(dir.ids) > 0 {
		return dir.ids, nil
	}
	// Outside a transaction: an author whom nobody follows is the usual case,
	// and a query locks all that it looks at.
	docs, err := x.listQuery(u).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("list index documents of %s: %w", x.user(u).Path, err)
	}
	if len(docs) == 0 && dir.damage == "" {
		return nil, nil
	}
	return x.repairDirectory(ctx, u)
}

// repairDirectory makes the user document name the index documents that are
// there, and returns their ids.
func (x *Index) repairDirectory(ctx context.Context, u string) (ids []string, err error) {
	err = x.client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		snap, err := getMaybe(tx, x.user(u))
		if err != nil {
			return err
		}
		var repair bool
		if ids, repair, err = x.directoryIn(ctx, tx, u, snap, true); err != nil || !repair {
			return err
		}
		return tx.Set(x.user(u), directoryFields(ids), firestore.MergeAll)
	})
	if err != nil {
		return nil, fmt.Errorf("repair %s: %w", x.user(u).Path, err)
	}
	return ids, nil
}

// listQuery finds the index documents that are there, by name only.
func (x *Index) listQuery(u string) firestore.Query {
	return x.indexDocuments(u).OrderBy(firestore.DocumentID, firestore.Asc).Select()
}

// listIndexIDs are the ids of the index documents that are there. It costs a
// read each, and at least one.
func (x *Index) listIndexIDs(tx *firestore.Transaction, u string) ([]string, error) {
	docs, err := tx.Documents(x.listQuery(u)).GetAll()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, doc := range docs {
		if doc.Ref.ID != indexID(len(ids)+1) {
			return nil, badDocument(doc.Ref.Path, "index document %q is missing or this one is not ours", indexID(len(ids)+1))
		}
		ids = append(ids, doc.Ref.ID)
	}
	return ids, nil
}

// directoryIn is u's list of index documents, from the user document where
// that is sound and otherwise (or with list) from the documents themselves;
// then repair says that the user document has to be written.
func (x *Index) directoryIn(ctx context.Context, tx *firestore.Transaction, u string, user *firestore.DocumentSnapshot, list bool) (ids []string, repair bool, err error) {
	dir := readDirectory(user)
	if !list && dir.damage == "" {
		return dir.ids, false, nil
	}
	if ids, err = x.listIndexIDs(tx, u); err != nil {
		return nil, false, err
	}
	if slices.Equal(ids, dir.ids) && dir.damage == "" {
		return ids, false, nil
	}
	x.reportDamage(ctx, u, dir)
	return ids, true, nil
}

func (x *Index) reportDamage(ctx context.Context, u string, dir directory) {
	what := dir.damage
	if what == "" {
		what = "the user document does not name the index documents that are there"
	}
	x.opts.Logger.ErrorContext(ctx, "user document damaged; repaired from its index documents",
		logging.Document, x.user(u).Path, logging.Damage, what)
}

// directoryFields are the two fields of users/{u} that name ids.
func directoryFields(ids []string) map[string]any {
	if len(ids) == 0 {
		return map[string]any{fieldFollowersIndex: firestore.Delete, fieldLatestIndex: firestore.Delete}
	}
	return map[string]any{fieldFollowersIndex: ids, fieldLatestIndex: ids[len(ids)-1]}
}

// getMaybe reads a document that may be missing, in a transaction.
func getMaybe(tx *firestore.Transaction, ref *firestore.DocumentRef) (*firestore.DocumentSnapshot, error) {
	snaps, err := tx.GetAll([]*firestore.DocumentRef{ref})
	if err != nil {
		return nil, err
	}
	return snaps[0], nil
}

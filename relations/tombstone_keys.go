package relations

import (
	"context"
	"errors"
	"slices"

	"cloud.google.com/go/firestore"
)

// The document _tombstones/keys says by which keys the tombstones that are there
// were made: each key's hash of what is no account's id, the newest last. A process
// without the newest key would miss the tombstones that others make.

// keysID is no hash, and so no tombstone's id.
const keysID = "keys"

// nobody is no account's id: a slash cannot be in one.
const nobody = "/"

const fieldMade = "made"

// ErrOtherKeys says that the newest key of the tombstones that are there is none of
// [Options.TombstoneKeys]. A retry helps when the process has the right ones, or when
// somebody who has lost the newest has deleted the document.
var ErrOtherKeys = errors.New("RELATIONINDEX_TOMBSTONE_KEYS does not have the newest key that tombstones were made by: " +
	"a command needs the keys of the deployed functions; functions that go back to an earlier key need it in front of the newest, which can be taken away after that; " +
	"if the newest is lost, delete the document " + Tombstones + "/" + keysID + ": see docs/operations.md")

// CheckTombstoneKeys returns [ErrOtherKeys] if there are tombstones, and the newest key
// is none of this index's. It costs a read, and may be called again.
func (x *Index) CheckTombstoneKeys(ctx context.Context) error {
	_, err := x.newestNoted(ctx)
	return err
}

// UseTombstoneKeys is CheckTombstoneKeys for who makes tombstones from now on: where
// there are some, the first key of this index becomes the newest, so that older ones may
// be taken away before it has made any. That costs a read and a write more, once for
// each rotation. It may be called twice and at once.
func (x *Index) UseTombstoneKeys(ctx context.Context) error {
	newest, err := x.newestNoted(ctx)
	if err != nil || newest == "" || newest == x.tombstonesOf(nobody)[0] {
		return err
	}
	return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		return x.noteKey(tx)
	})
}

// newestNoted is the hash of the newest key, which is one of this index's; "" where no key is noted.
func (x *Index) newestNoted(ctx context.Context) (string, error) {
	snaps, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.tombstone(keysID)})
	if err != nil {
		return "", err
	}
	made, err := x.made(snaps[0])
	if len(made) == 0 {
		return "", err
	}
	return made[len(made)-1], nil
}

// noteKey makes the first key the newest, also one that was older. Two at once write it
// once: the list is read in the transaction.
func (x *Index) noteKey(tx *firestore.Transaction) error {
	snaps, err := tx.GetAll([]*firestore.DocumentRef{x.tombstone(keysID)})
	if err != nil {
		return err
	}
	made, err := x.made(snaps[0])
	first := x.tombstonesOf(nobody)[0]
	if err != nil || len(made) > 0 && made[len(made)-1] == first {
		return err
	}
	made = slices.DeleteFunc(made, func(hash string) bool { return hash == first })
	return tx.Set(snaps[0].Ref, map[string]any{fieldMade: append(made, first)}, firestore.MergeAll)
}

// made are the hashes of the keys that have made tombstones, of which this index has the
// last; none where there are none yet.
func (x *Index) made(keys *firestore.DocumentSnapshot) ([]string, error) {
	if !keys.Exists() {
		return nil, nil
	}
	var made []string
	values, _ := fieldsOf(keys, fieldMade)[fieldMade].([]any)
	for _, value := range values {
		if hash, ok := value.(string); ok {
			made = append(made, hash)
		}
	}
	if len(made) == 0 || !slices.Contains(x.tombstonesOf(nobody), made[len(made)-1]) {
		return nil, ErrOtherKeys
	}
	return made, nil
}

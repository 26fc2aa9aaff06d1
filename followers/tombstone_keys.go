package followers

import (
	"context"
	"errors"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// The document _tombstones/keys lists the keys that made the existing tombstones, newest
// last. It stores each key's hash of a text that is no account's id. A process without
// the newest key would miss the tombstones that other processes make.

// keysID is not a hash, so no tombstone has this id.
const keysID = "keys"

// nobody is no account's id: an id cannot contain a slash.
const nobody = "/"

const fieldMade = "made"

// ErrOtherKeys says that the newest key of the existing tombstones is not in
// [Options.TombstoneKeys]. A retry helps when the process has the right keys. It also
// helps after you have lost the newest key and deleted the document.
var ErrOtherKeys = errors.New("RELATIONINDEX_TOMBSTONE_KEYS does not have the newest key of the existing tombstones: " +
	"a command requires the keys of the deployed functions; to go back to an earlier key, put it before the newest key, and remove the newest key in a later deployment; " +
	"if the newest key is lost, delete the document " + names.Tombstones + "/" + keysID + ": see docs/operations.md")

// CheckTombstoneKeys returns [ErrOtherKeys] if there are tombstones whose newest key is
// not one of this index's. It costs a read. You may call it again.
func (x *Graph) CheckTombstoneKeys(ctx context.Context) error {
	_, err := x.newestNoted(ctx)
	return err
}

// UseTombstoneKeys is CheckTombstoneKeys for a process that makes tombstones from now on.
// If there are tombstones, this index's first key becomes the newest. Then you may remove
// older keys, even if the first key has made no tombstone yet. That costs another read
// and a write, once for each rotation. You may call it twice and at once.
func (x *Graph) UseTombstoneKeys(ctx context.Context) error {
	newest, err := x.newestNoted(ctx)
	if err != nil || newest == "" || newest == x.db.TombstoneIDs(nobody)[0] {
		return err
	}
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		return x.noteKey(tx)
	})
}

// newestNoted returns the hash of the newest key; "" if no key is noted. It returns
// [ErrOtherKeys] if that key is not one of this index's.
func (x *Graph) newestNoted(ctx context.Context) (string, error) {
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Tombstone(keysID)})
	if err != nil {
		return "", err
	}
	made, err := x.made(snaps[0])
	if len(made) == 0 {
		return "", err
	}
	return made[len(made)-1], nil
}

// noteKey makes the first key the newest, even if the list has it already as an older
// one. Two concurrent calls write it once, because the transaction reads the list.
func (x *Graph) noteKey(tx *firestore.Transaction) error {
	snaps, err := tx.GetAll([]*firestore.DocumentRef{x.db.Tombstone(keysID)})
	if err != nil {
		return err
	}
	made, err := x.made(snaps[0])
	first := x.db.TombstoneIDs(nobody)[0]
	if err != nil || len(made) > 0 && made[len(made)-1] == first {
		return err
	}
	made = slices.DeleteFunc(made, func(hash string) bool { return hash == first })
	return tx.Set(snaps[0].Ref, map[string]any{fieldMade: append(made, first)}, firestore.MergeAll)
}

// made returns the hashes of the keys that have made tombstones, newest last; none if
// there are no tombstones. It returns [ErrOtherKeys] if the newest key is not one of this
// index's.
func (x *Graph) made(keys *firestore.DocumentSnapshot) ([]string, error) {
	if !keys.Exists() {
		return nil, nil
	}
	var made []string
	values, _ := schema.FieldsOf(keys, fieldMade)[fieldMade].([]any)
	for _, value := range values {
		if hash, ok := value.(string); ok {
			made = append(made, hash)
		}
	}
	if len(made) == 0 || !slices.Contains(x.db.TombstoneIDs(nobody), made[len(made)-1]) {
		return nil, ErrOtherKeys
	}
	return made, nil
}

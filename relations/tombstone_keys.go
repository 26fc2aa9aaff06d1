package relations

import (
	"context"
	"errors"
	"slices"

	"cloud.google.com/go/firestore"
)

// The document _tombstones/keys says by which keys the tombstones that are there
// were made: each key's hash of what is no account's id. A process that has none
// of these keys finds no tombstone.

// keysID is no hash, and so no tombstone's id.
const keysID = "keys"

// nobody is no account's id: a slash cannot be in one.
const nobody = "/"

const fieldMade = "made"

// ErrOtherKeys says that the tombstones that are there were made by other keys than
// those of [Options.TombstoneKeys]. A retry helps when the process has the right
// ones, or when somebody who has lost them has deleted the document.
var ErrOtherKeys = errors.New("none of the keys of tombstones has made those that are there: " +
	"RELATIONINDEX_TOMBSTONE_KEYS must be what the functions have, see docs/operations.md; if their keys are lost, delete the document " + Tombstones + "/" + keysID)

// CheckTombstoneKeys returns [ErrOtherKeys] if there are tombstones, and none was made
// by a key of this index. It costs a read, and may be called again.
func (x *Index) CheckTombstoneKeys(ctx context.Context) error {
	snaps, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.tombstone(keysID)})
	if err != nil {
		return err
	}
	_, err = x.made(snaps[0])
	return err
}

// made are the hashes of the keys that have made tombstones; none where there are none yet.
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
	if !slices.ContainsFunc(x.tombstonesOf(nobody), func(own string) bool { return slices.Contains(made, own) }) {
		return nil, ErrOtherKeys
	}
	return made, nil
}
